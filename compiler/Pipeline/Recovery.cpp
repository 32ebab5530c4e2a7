#include "compiler/Pipeline/Recovery.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <csignal>
#include <cstdlib>
#include <memory>

namespace attnc {

/// LLVM's handlers run on the stack of the thread that faults, which is of no use when it was that stack that
/// overflowed.
static void handleSignalsOn(char *memory, size_t bytes) {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    sigaction(signal, nullptr, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

bool survives(llvm::function_ref<void()> work) {
  constexpr size_t signalStack = 1 << 16;
  auto memory = std::make_unique<char[]>(signalStack);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafelyOnThread(
      [&] {
        handleSignalsOn(memory.get(), signalStack);
        work();
      },
      /*RequestedStackSize=*/64 << 20);
  llvm::CrashRecoveryContext::Disable();
  return survived;
}

} // namespace attnc
