//===- DeviceBlock.h - the threads of a block as fibres ---------------------------------------------------------===//
//
// A thread runs until it waits for others: a warp for what its 32 lanes do together, or the block at a barrier. Who
// comes last does the work of all. Whose arrival ends a phase of a barrier lets others run: those who waited for it see
// nothing of what this thread does only then.
//
// A copy into shared memory that a thread has issued arrives when the thread waits for its group, and not before: until
// then its destination holds NaN. So a missing wait is seen, and so is who still wanted what the copy overwrites. What
// the asynchronous proxy reads (DeviceProducts.h) sees a copy only behind a fence of the thread that waited for it.
//
// A tile that the device copies by itself (DeviceTensorMap.h) arrives when a thread waits for the barrier that counts
// its bytes and nobody can go on. One that nobody waits for is a fault, and so is a map that the thread has not
// acquired, or that was not released as it is.
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

/// What a lane brings to the work of its warp: the operands of an intrinsic, 8 bytes each, and where its result goes.
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
    std::vector<std::span<char>> shared; ///< all memory that the threads share
    ReleasedMaps *maps;                  ///< of all blocks
    TensorCoreSums sums;
  };
  explicit DeviceBlock(Setup setup)
      : setup(std::move(setup)), threads(this->setup.threads),
        products((threads.size() + WarpGroupProducts::threads - 1) / WarpGroupProducts::threads,
                 WarpGroupProducts(this->setup.sums)) {}

  /// Returns what went wrong, or nothing.
  std::string run(Order order);

  //===---------------------------------- for models of intrinsics, on a thread ---------------------------------===//

  static DeviceBlock &running();
  int64_t number() const { return setup.number; }
  TensorCoreSums sums() const { return setup.sums; }
  size_t thread() const { return current; }
  void waitForBlock();
  /// All lanes of the warp have to come to the same work.
  void workInWarp(DeviceLane lane, WarpWork work);
  /// Until so many threads have come to barrier `number`, or have arrived there without waiting.
  void waitForThreads(size_t number, size_t count);
  void arriveForThreads(size_t number, size_t count);

  /// A barrier in shared memory, at which so many arrivals end a phase.
  void initBarrier(const char *barrier, size_t arrivals);
  /// So many bytes have to come as well before the phase ends.
  void arrive(const char *barrier, size_t bytes = 0);
  /// Whether a phase of this parity is over. If not, it gives up once, and the next time waits until it is.
  bool tryWait(const char *barrier, size_t parity);

  /// Of the thread's warp group, and its number there.
  WarpGroupProducts &warpGroup() { return products[current / WarpGroupProducts::threads]; }
  size_t threadInGroup() const { return current % WarpGroupProducts::threads; }
  /// Until at most so many of its groups of products are under way; the registers of the others' A are in `kept`.
  void awaitProducts(size_t open, const std::vector<uint32_t> &kept);
  /// What copies brought that this thread awaited, the asynchronous proxy sees too.
  void fenceProxy();
  [[noreturn]] void fail(std::string what);

  /// Copies `bytes` of `from` to `to`, which is shared memory, and clears what is left of `size` there.
  void issueCopy(char *to, const char *from, size_t bytes, size_t size);
  void closeGroup();
  void awaitGroups(size_t open); ///< until at most so many are under way

  /// What lanes of this thread's warp wrote to maps is seen by all of them.
  void orderMapWrites();
  void writeMap(char *map, DeviceTensorMap::Field field, size_t dimension, uint64_t value);
  void releaseMap(char *to, const char *from);
  void acquireMap(const char *map);
  /// Acquired maps can be used behind this.
  void awaitBulkCopies();
  void issueTile(char *to, const char *map, std::vector<int32_t> coordinates, const char *barrier);
  /// Ends the thread, and the run with it, where [address, address + bytes) is not shared memory, or not aligned.
  void checkShared(const char *what, const void *address, size_t bytes, size_t alignment);

private:
  struct Copy {
    char *to;
    const char *from;
    size_t bytes, size;
  };
  /// That the device copies by itself.
  struct Tile {
    char *to;
    DeviceTensorMap map;
    std::vector<int32_t> coordinates;
    const char *barrier;
  };
  enum class Wait { Nothing, Block, Warp, Threads, Phase, Products };
  struct Thread {
    void *stack = nullptr; ///< where it was left
    bool isDone = false;
    Wait wait = Wait::Nothing;
    WarpWork work = nullptr; ///< what it waits to do in a warp
    DeviceLane lane{};
    size_t number = 0;             ///< of the barrier at which it waits
    const char *barrier = nullptr; ///< for whose phase it waits, or gave up once
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;
    std::set<const char *> maps;         ///< acquired, and what was cached for them has gone
    std::set<const char *> acquiredMaps; ///< and are not awaited yet

    bool hasCopies() const; ///< under way
  };

  struct PhaseBarrier {
    size_t arrivals, missing, phase;
    size_t madeBy;         ///< thread
    bool isFenced = false; ///< the device's own copies see it
    int64_t bytes = 0;     ///< that are expected and have not come
  };

  static void enter();
  bool takeTurns(std::span<const size_t> some); ///< whether any could go on
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
  std::map<size_t, size_t> arrived;                  ///< at barriers with a number, by threads that went on
  std::unordered_map<const char *, size_t> unfenced; ///< units of 16 bytes that copies brought, and whose
  std::vector<Tile> tiles;                           ///< under way
  std::map<const char *, size_t> mapWrites;          ///< maps in shared memory, and who wrote to them
  size_t current = 0;
  void *scheduler = nullptr; ///< its stack
  std::string fault;
};

} // namespace attnc
