#include "compiler/Pipeline/LargeStack.h"
#include "compiler/Diagnostics/CrashNote.h"
#include <pthread.h>
#include <system_error>

namespace attnc {

static void *runOnThread(void *work) {
  SignalStack signals;
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

llvm::Error runOnLargeStack(llvm::function_ref<void()> work) {
  constexpr size_t bytes = 64 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  int problem = pthread_create(&thread, &attributes, runOnThread, &work);
  pthread_attr_destroy(&attributes);
  if (problem != 0)
    return llvm::createStringError("the system can't start more threads: one with a stack of 64 MB failed: " +
                                   std::generic_category().message(problem));
  pthread_join(thread, nullptr);
  return llvm::Error::success();
}

} // namespace attnc
