#include "compiler/Pipeline/Recovery.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <csignal>
#include <cstdlib>
#include <memory>

namespace attnc {

/// LLVM's handlers run on the stack of the thread that faults, which is of no use when it was that stack that
/// overflowed. Returns what signals were handled on before, which the thread must end with: whoever set it frees it.
static stack_t handleSignalsOn(char *memory, size_t bytes) {
  stack_t stack = {}, before = {};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, &before);
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    sigaction(signal, nullptr, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
  return before;
}

bool survives(llvm::function_ref<void()> work) {
  constexpr size_t signalStack = 1 << 16;
  auto memory = std::make_unique<char[]>(signalStack);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafelyOnThread(
      [&] {
        stack_t before = handleSignalsOn(memory.get(), signalStack);
        work();
        sigaltstack(&before, nullptr);
      },
      /*RequestedStackSize=*/64 << 20);
  llvm::CrashRecoveryContext::Disable();
  return survived;
}

} // namespace attnc
