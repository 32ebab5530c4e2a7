//===- DeviceBlock.h - simulator of a thread block, with threads as fibres ----------------------------------------===//
//
// The simulator executes one CUDA thread block on the host; each thread is a fibre (a stack of its own). A thread runs
// until it waits for others: for a warp-wide operation, or at a barrier. The last lane of a warp to arrive at a
// warp-wide operation performs the operation for all 32 lanes. The thread whose arrival completes a phase of a barrier
// resumes the waiting threads; they run only after this thread waits or ends.
//
// An asynchronous copy into shared memory completes when its thread waits for the copy's group, and not before; until
// then the destination contains NaN. The simulator thus detects a missing wait, and a read of the data that the copy
// overwrites. wgmma (DeviceProducts.h) reads shared memory through the asynchronous proxy, where the data of a copy are
// visible only after a fence of the thread that waited for the copy.
//
// A TMA copy of a tile (DeviceTensorMap.h) completes when a thread waits for the mbarrier that counts its bytes and no
// thread can run. A tile that no thread waits for is a fault. A copy by a tensor map that the thread has not acquired,
// or that has changed since its release, is a fault too.
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
/// Performs a warp-wide operation: writes the results of all lanes of a warp, in the order of their numbers.
using WarpWork = void (*)(std::span<const DeviceLane> lanes);

/// One block of a launch. Faults are described as text for the message of a test.
class DeviceBlock {
public:
  static constexpr size_t warpThreads = 32;

  struct Setup {
    int64_t number, threads;        ///< number of the block in its launch; number of threads
    void (*body)(const uint64_t *); ///< code of a thread; its argument is `parameters`
    const uint64_t *parameters;
    std::vector<std::span<char>> shared; ///< all shared memory, static and dynamic; the caller owns it
    ReleasedMaps *maps;                  ///< released tensor maps of all blocks; the caller owns them
    TensorCoreSums sums;                 ///< rounding of tensor-core sums
  };
  explicit DeviceBlock(Setup setup)
      : setup(std::move(setup)), threads(this->setup.threads),
        products((threads.size() + WarpGroupProducts::threads - 1) / WarpGroupProducts::threads,
                 WarpGroupProducts(this->setup.sums)) {}

  /// Runs all threads to their ends, or to the first fault. Returns a description of the fault; empty if there is none.
  /// Called once.
  std::string run(Order order);

  //===---------------------------------- for models of intrinsics, on a thread ---------------------------------===//

  static DeviceBlock &running();                  ///< the block whose thread calls this function
  int64_t number() const { return setup.number; } ///< number of the block in its launch
  TensorCoreSums sums() const { return setup.sums; }
  size_t thread() const { return current; } ///< number of the calling thread
  void waitForBlock();                      ///< waits until all threads of the block do (bar.sync 0)
  /// Waits until all lanes of the warp have arrived at this operation with the same `work`, which has then been called
  /// once with the operands of all lanes.
  void workInWarp(DeviceLane lane, WarpWork work);
  /// bar.sync of barrier `number`, 1 to 15: waits until `count` threads have arrived by this function or the next one.
  void waitForThreads(size_t number, size_t count);
  /// bar.arrive of this barrier: arrives without waiting.
  void arriveForThreads(size_t number, size_t count);

  // An mbarrier is identified by its address in shared memory.

  /// Initialises an mbarrier, each phase of which ends after `arrivals` arrivals and all expected bytes.
  void initBarrier(const char *barrier, size_t arrivals);
  /// Arrives at an mbarrier, and adds `bytes` to the bytes of TMA copies that its current phase expects.
  void arrive(const char *barrier, size_t bytes = 0);
  /// mbarrier.try_wait: returns true if the phase of this parity, 0 or 1, has ended. Otherwise returns false the first
  /// time; the next time waits for the end of the phase and returns true.
  bool tryWait(const char *barrier, size_t parity);

  /// The products of the thread's warp group, and the thread's number in the group.
  WarpGroupProducts &warpGroup() { return products[current / WarpGroupProducts::threads]; }
  size_t threadInGroup() const { return current % WarpGroupProducts::threads; }
  /// wgmma.wait_group: waits until at most `open` groups of products of this thread are unfinished. `kept` as for
  /// WarpGroupProducts::await().
  void awaitProducts(size_t open, const std::vector<uint32_t> &kept);
  /// Makes data of copies that this thread waited for visible to the asynchronous proxy.
  void fenceProxy();
  /// Ends the thread and the run with a fault.
  [[noreturn]] void fail(std::string what);

  /// cp.async: starts an asynchronous copy of `bytes` bytes from `from` to `to` in shared memory. The copy sets the
  /// remaining `size` - `bytes` bytes at `to` to zero.
  void issueCopy(char *to, const char *from, size_t bytes, size_t size);
  void closeGroup();             ///< makes the copies since the last call a group (cp.async.commit_group)
  void awaitGroups(size_t open); ///< waits until at most `open` groups are unfinished

  // Tensor maps (DeviceTensorMap.h), by their addresses.

  /// Makes the writes of this warp's lanes to maps visible to all lanes of the warp.
  void orderMapWrites();
  /// tensormap.replace: sets a field of a map in shared memory, of the dimension `dimension` if the field has several.
  void writeMap(char *map, DeviceTensorMap::Field field, size_t dimension, uint64_t value);
  /// Copies a map from shared memory to global memory and releases it; a fault if it is invalid, or if writes of other
  /// lanes are not ordered.
  void releaseMap(char *to, const char *from);
  /// Acquires a released map in global memory for the calling thread.
  void acquireMap(const char *map);
  /// Waits for bulk copies of the thread. From then on, the thread may use the maps that it has acquired before.
  void awaitBulkCopies();
  /// Starts a TMA copy of the box at `coordinates`, the innermost dimension first, of an acquired map to `to` in shared
  /// memory. The mbarrier `barrier` counts its bytes.
  void issueTile(char *to, const char *map, std::vector<int32_t> coordinates, const char *barrier);
  /// Ends the run with a fault unless the bytes [address, address + bytes) are in shared memory and `address` is a
  /// multiple of `alignment`. `what` names the access in the fault.
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
    size_t number = 0;                    ///< number of the barrier at which it waits
    const char *barrier = nullptr;        ///< the mbarrier whose phase it waits for, or gave up once
    std::vector<Copy> open;               ///< copies since the last closeGroup
    std::deque<std::vector<Copy>> groups; ///< unfinished groups, the oldest first
    std::set<const char *> maps;          ///< acquired maps that may be used
    std::set<const char *> acquiredMaps;  ///< acquired maps before awaitBulkCopies

    bool hasCopies() const; ///< unfinished ones
  };

  /// An mbarrier: arrivals of a phase, those that the current phase lacks, and the number of completed phases.
  struct PhaseBarrier {
    size_t arrivals, missing, phase;
    size_t madeBy;         ///< thread that initialised it
    bool isFenced = false; ///< visible to TMA copies
    int64_t bytes = 0;     ///< expected bytes that have not arrived
  };

  static void enter(); ///< the start of each fibre
  /// Runs threads until they wait, as does runReady; true if any could run.
  bool runThreads(std::span<const size_t> some);
  void waitFor(Wait wait); ///< marks the current thread as waiting, and yields
  bool runReady(std::span<const size_t> numbers, Order order);
  void countThreads(size_t number, size_t count);
  /// Completes asynchronous operations, products or copies of tiles, when no thread can run; false if there are none.
  bool endLate();
  bool endProducts();
  void noteFault(size_t group, const std::string &wrong); ///< records the fault of a warp group unless `wrong` is empty
  bool bringTiles();
  void bring(const Tile &tile);
  void endPhase(const char *barrier); ///< ends the phase of an mbarrier if it is complete
  /// The 16 bytes of shared memory at an address, given by its bits 4 to 17; NaNs if a fence is missing.
  const char *readByProxy(uint64_t unit);
  PhaseBarrier &phaseBarrier(const char *barrier);
  void yield(); ///< returns to the scheduler
  std::vector<size_t> threadOrder(Order order) const;

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
