//===- PinnedThreads.h - threads and sizes of timed calls ---------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Threads that are started from now on stay on the first processors that this process may use; 0 pins none.
void pinTo(int64_t threads);

/// The sizes of --dim, each `least` or more, are those that memory is planned for, and that costs are of; `workers`
/// comes last. --at, which could say others, is refused. --threads 0 becomes the number of processors.
llvm::Error takeSizes(SourceOptions &source, InvocationOptions &invocation, int64_t least);

} // namespace attnc
