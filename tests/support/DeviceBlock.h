//===- DeviceBlock.h - the threads of a block as fibres ---------------------------------------------------------===//
//
// A thread runs until it waits for others: a warp for what its 32 lanes do together, or the block at a barrier. Who
// comes last does the work of all.
//
// A copy into shared memory that a thread has issued arrives when the thread waits for its group, and not before: until
// then its destination holds NaN. So a missing wait is seen, and so is who still wanted what the copy overwrites.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/DeviceExecutor.h"
#include <deque>
#include <span>

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
  };
  explicit DeviceBlock(Setup setup) : setup(std::move(setup)), threads(this->setup.threads) {}

  /// Returns what went wrong, or nothing.
  std::string run(Order order);

  //===---------------------------------- for models of intrinsics, on a thread ---------------------------------===//

  static DeviceBlock &running();
  int64_t number() const { return setup.number; }
  size_t thread() const { return current; }
  void waitForBlock() { meet({}, nullptr); }
  /// All lanes of the warp have to come to the same work.
  void workInWarp(DeviceLane lane, WarpWork work) { meet(lane, work); }

  /// Copies `bytes` of `from` to `to`, which is shared memory, and clears what is left of `size` there.
  void issueCopy(char *to, const char *from, size_t bytes, size_t size);
  void closeGroup();
  void awaitGroups(size_t open); ///< until at most so many are under way
  /// Ends the thread, and the run with it, where [address, address + bytes) is not shared memory, or not aligned.
  void checkShared(const char *what, const void *address, size_t bytes, size_t alignment);

private:
  struct Copy {
    char *to;
    const char *from;
    size_t bytes, size;
  };
  struct Thread {
    void *stack = nullptr; ///< where it was left
    bool isDone = false, isWaiting = false;
    WarpWork work = nullptr; ///< what it waits to do; nothing at a barrier of the block
    DeviceLane lane{};
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;
  };

  static void enter();
  bool takeTurns(std::span<const size_t> some); ///< whether any could go on
  void meet(DeviceLane lane, WarpWork work);
  void yield();
  [[noreturn]] void fail(std::string what);
  std::vector<size_t> turns(Order order) const;

  Setup setup;
  std::vector<Thread> threads;
  size_t current = 0;
  void *scheduler = nullptr; ///< its stack
  std::string fault;
};

} // namespace attnc
