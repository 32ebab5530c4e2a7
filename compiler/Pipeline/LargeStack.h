//===- LargeStack.h - execution on a thread with a large stack ----------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Runs `work` on a new thread with a stack of 64 MiB, for deep recursion, and waits for its end. The thread has a
/// signal stack, so after a stack overflow the crash handler runs (compiler/Diagnostics/CrashNote.h). Fails, without
/// running `work`, if the thread cannot be started.
llvm::Error runOnLargeStack(llvm::function_ref<void()> work);

} // namespace attnc
