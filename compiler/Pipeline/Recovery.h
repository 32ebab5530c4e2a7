//===- Recovery.h - a crash that does not end the process -------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Runs `work` on a thread with a stack of 64 MB. Answers false where it crashed (a bad address, an abort, a stack that
/// overflows); what it held is lost then.
bool survives(llvm::function_ref<void()> work);

} // namespace attnc
