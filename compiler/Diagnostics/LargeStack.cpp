#include "compiler/Diagnostics/LargeStack.h"
#include "compiler/Diagnostics/CrashNote.h"
#include <system_error>
#include <utility>

namespace attnc {

static void *runOnThread(void *work) {
  SignalStack signals;
  (*static_cast<std::function<void()> *>(work))();
  return nullptr;
}

std::string LargeStackThread::start(std::function<void()> next) {
  constexpr size_t bytes = 64 << 20;
  join();
  work = std::move(next);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  int problem = pthread_create(&thread, &attributes, runOnThread, &work);
  pthread_attr_destroy(&attributes);
  isRunning = problem == 0;
  return isRunning ? ""
                   : "the system can't start more threads: one with a stack of 64 MB failed: " +
                         std::generic_category().message(problem);
}

void LargeStackThread::join() {
  if (std::exchange(isRunning, false))
    pthread_join(thread, nullptr);
}

std::string runOnLargeStack(const std::function<void()> &work) {
  LargeStackThread thread;
  return thread.start(work);
}

} // namespace attnc
