//===- LargeStack.h - execution on a thread with a large stack ----------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Runs `work` on a thread with a stack of 64 MB, for deep recursion, and waits for its end. The thread has a signal
/// stack, so a stack overflow prints the crash note (compiler/Diagnostics/CrashNote.h). Fails if no thread starts.
llvm::Error runOnLargeStack(llvm::function_ref<void()> work);

} // namespace attnc
