//===- PinnedThreads.h - pinned threads and sizes of timed calls --------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Restricts the calling thread, and the threads that it starts afterwards, to the first `threads` processors that the
/// process may use. Does nothing if `threads` is 0, or if the system does not list the processors. Prints a warning,
/// and pins no thread, if there are fewer processors or if the system does not allow it.
void pinTo(int64_t threads);

/// Copies the sizes of --dim to the sizes of --at (`source.compile.at`), so that memory and costs are computed for the
/// sizes of the timed calls. Appends the size `workers`, the number of threads. Replaces --threads 0 in `invocation` by
/// the number of processors that the process may use. An error if a size is below `least`, given twice or not a number,
/// if --threads is negative, or if the user has given --at.
llvm::Error takeSizes(SourceOptions &source, InvocationOptions &invocation, int64_t least);

} // namespace attnc
