//===- LargeStack.h - room for deep recursion ---------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Runs `work` on a thread with a stack of 64 MB and a signal stack, and waits for it: a stack that overflows is a
/// crash with a message (compiler/Diagnostics/CrashNote.h). Fails where the thread can't be started.
llvm::Error runOnLargeStack(llvm::function_ref<void()> work);

} // namespace attnc
