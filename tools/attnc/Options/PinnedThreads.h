//===- PinnedThreads.h - pinned threads and sizes of timed calls --------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Pins this thread, and threads started from now on, to the first `threads` processors that the process may use. Does
/// nothing for 0; warns if it fails.
void pinTo(int64_t threads);

/// Copies the sizes of --dim to --at, so that memory and costs are computed for these sizes, and adds `workers`, the
/// number of threads, as the last one. --threads 0 becomes the number of processors. Fails if a size is below `least`,
/// or if the user has given --at.
llvm::Error takeSizes(SourceOptions &source, InvocationOptions &invocation, int64_t least);

} // namespace attnc
