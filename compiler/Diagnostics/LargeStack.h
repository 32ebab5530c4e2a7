//===- LargeStack.h - threads with a large stack ------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <pthread.h>
#include <string>

namespace attnc {

/// A thread with a stack of 64 MiB, for deep recursion. The thread has a signal stack, so after a stack overflow the
/// crash handler runs (CrashNote.h).
class LargeStackThread {
public:
  LargeStackThread() = default;
  LargeStackThread(const LargeStackThread &) = delete;
  LargeStackThread &operator=(const LargeStackThread &) = delete;
  ~LargeStackThread() { join(); }

  /// Runs `work` on the thread, after earlier work. Returns an empty string, or the reason why the thread cannot be
  /// started; `work` then does not run.
  [[nodiscard]] std::string start(std::function<void()> work);
  void join(); ///< waits for the end of the work, if there is any

private:
  std::function<void()> work;
  pthread_t thread{};
  bool isRunning = false;
};

/// Runs `work` on a LargeStackThread, and waits for its end. Returns as LargeStackThread::start().
[[nodiscard]] std::string runOnLargeStack(const std::function<void()> &work);

} // namespace attnc
