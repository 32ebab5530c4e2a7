//===- DeviceBlock.h - simulator of a thread block, with threads as fibres ----------------------------------------===//
//
// A thread runs until it waits for others: for a warp-wide operation, which its last lane performs for all 32, or at a
// barrier. The thread whose arrival completes a phase of a barrier resumes the waiting threads, which then run only
// after it waits or ends.
//
// An asynchronous copy into shared memory completes when its thread waits for the copy's group, and not before; until
// then its destination contains NaN. The simulator thus detects a missing wait, and a read of the data that the copy
// overwrites. The asynchronous proxy (DeviceProducts.h) reads the data of a copy only after a fence of the thread that
// waited for it.
//
// A TMA copy of a tile (DeviceTensorMap.h) completes when a thread waits for the barrier that counts its bytes and no
// thread can run. A tile that no thread waits for is a fault, and so is a tensor map that the thread has not acquired,
// or that has changed since its release.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/DeviceExecutor.h"
#include "tests/support/DeviceProducts.h"
#include "tests/support/DeviceTensorMap.h"
#include <deque>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

namespace attnc {

/// Operands of a lane in a warp-wide operation, 8 bytes each, and the address of its result.
struct DeviceLane {
  const uint64_t *operands;
  void *result;
};
using WarpWork = void (*)(std::span<const DeviceLane> lanes);

class DeviceBlock {
public:
  static constexpr size_t warpThreads = 32;

  struct Setup {
    int64_t number, threads;
    void (*body)(const uint64_t *);
    const uint64_t *parameters;
    std::vector<std::span<char>> shared; ///< all shared memory
    ReleasedMaps *maps;                  ///< released maps of all blocks
    TensorCoreSums sums;
  };
  explicit DeviceBlock(Setup setup)
      : setup(std::move(setup)), threads(this->setup.threads),
        products((threads.size() + WarpGroupProducts::threads - 1) / WarpGroupProducts::threads,
                 WarpGroupProducts(this->setup.sums)) {}

  /// Runs the block. Returns a description of the first fault; empty if there is none.
  std::string run(Order order);

  //===---------------------------------- for models of intrinsics, on a thread ---------------------------------===//

  static DeviceBlock &running();
  int64_t number() const { return setup.number; }
  TensorCoreSums sums() const { return setup.sums; }
  size_t thread() const { return current; }
  void waitForBlock();
  /// Performs a warp-wide operation, at which all lanes of the warp must arrive.
  void workInWarp(DeviceLane lane, WarpWork work);
  /// Waits until `count` threads have arrived at barrier `number`, waiting or not.
  void waitForThreads(size_t number, size_t count);
  void arriveForThreads(size_t number, size_t count);

  /// Initialises an mbarrier in shared memory, whose phase ends after `arrivals` arrivals.
  void initBarrier(const char *barrier, size_t arrivals);
  /// Arrives at an mbarrier, and adds `bytes` to the bytes that its phase expects.
  void arrive(const char *barrier, size_t bytes = 0);
  /// True if the phase of this parity has ended. Otherwise returns false the first time, and the next time waits for
  /// its end.
  bool tryWait(const char *barrier, size_t parity);

  /// The products of the thread's warp group, and the thread's number in the group.
  WarpGroupProducts &warpGroup() { return products[current / WarpGroupProducts::threads]; }
  size_t threadInGroup() const { return current % WarpGroupProducts::threads; }
  /// Waits until at most `open` groups of products are unfinished; `kept` are the registers of A of the finished ones.
  void awaitProducts(size_t open, const std::vector<uint32_t> &kept);
  /// Makes data of copies that this thread waited for visible to the asynchronous proxy.
  void fenceProxy();
  [[noreturn]] void fail(std::string what);

  /// Copies `bytes` of `from` to `to`, which is shared memory, and clears the rest of `size` bytes there.
  void issueCopy(char *to, const char *from, size_t bytes, size_t size);
  void closeGroup();
  void awaitGroups(size_t open); ///< waits until at most `open` groups are unfinished

  /// Makes writes of this warp's lanes to maps visible to all its lanes.
  void orderMapWrites();
  void writeMap(char *map, DeviceTensorMap::Field field, size_t dimension, uint64_t value);
  void releaseMap(char *to, const char *from);
  void acquireMap(const char *map);
  /// Waits for bulk copies; acquired maps may be used afterwards.
  void awaitBulkCopies();
  void issueTile(char *to, const char *map, std::vector<int32_t> coordinates, const char *barrier);
  /// Ends the thread and the run unless [address, address + bytes) is aligned shared memory.
  void checkShared(const char *what, const void *address, size_t bytes, size_t alignment);

private:
  struct Copy {
    char *to;
    const char *from;
    size_t bytes, size;
  };
  /// A tile of a TMA copy.
  struct Tile {
    char *to;
    DeviceTensorMap map;
    std::vector<int32_t> coordinates;
    const char *barrier;
  };
  enum class Wait { Nothing, Block, Warp, Threads, Phase, Products };
  struct Thread {
    void *stack = nullptr; ///< saved stack pointer
    bool isDone = false;
    Wait wait = Wait::Nothing;
    WarpWork work = nullptr; ///< the warp-wide operation that it waits for
    DeviceLane lane{};
    size_t number = 0;             ///< number of the barrier at which it waits
    const char *barrier = nullptr; ///< the mbarrier whose phase it waits for, or gave up once
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;
    std::set<const char *> maps;         ///< acquired maps that may be used
    std::set<const char *> acquiredMaps; ///< acquired maps before awaitBulkCopies

    bool hasCopies() const; ///< unfinished ones
  };

  struct PhaseBarrier {
    size_t arrivals, missing, phase;
    size_t madeBy;         ///< thread that initialised it
    bool isFenced = false; ///< visible to TMA copies
    int64_t bytes = 0;     ///< expected bytes that have not arrived
  };

  static void enter();
  bool takeTurns(std::span<const size_t> some); ///< true if any could run
  void waitFor(Wait wait);
  bool runReady(std::span<const size_t> turns, Order order);
  void countThreads(size_t number, size_t count);
  bool endLate();
  bool endProducts();
  void noteFault(size_t group, const std::string &wrong);
  bool bringTiles();
  void bring(const Tile &tile);
  void endPhase(const char *barrier);
  const char *readByProxy(uint64_t unit);
  PhaseBarrier &phaseBarrier(const char *barrier);
  void yield();
  std::vector<size_t> turns(Order order) const;

  Setup setup;
  std::vector<Thread> threads;
  std::vector<WarpGroupProducts> products;
  std::map<const char *, PhaseBarrier> barriers;
  std::map<size_t, size_t> arrived;                  ///< by barrier number, arrivals of threads that did not wait
  std::unordered_map<const char *, size_t> unfenced; ///< 16-byte vectors written by copies, and the thread
  std::vector<Tile> tiles;                           ///< unfinished copies of tiles
  std::map<const char *, size_t> mapWrites;          ///< maps in shared memory, and the thread that wrote to them
  size_t current = 0;
  void *scheduler = nullptr; ///< its stack
  std::string fault;
};

} // namespace attnc
