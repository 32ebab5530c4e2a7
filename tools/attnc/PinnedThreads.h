//===- PinnedThreads.h - calls that are timed ---------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/InvocationOptions.h"
#include "tools/attnc/SourceOptions.h"

namespace attnc {

/// Threads that are started from now on stay on the first processors that this process may use; 0 pins none.
void pinTo(int64_t threads);

/// The sizes of --dim are those that memory is planned for, and that costs are of; `workers` comes last.
llvm::Error takeSizes(SourceOptions &source, const InvocationOptions &invocation);

} // namespace attnc
