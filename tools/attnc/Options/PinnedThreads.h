//===- PinnedThreads.h - pinned threads and sizes of timed calls --------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Pins this thread, and threads started from now on, to the first `threads` processors that the process may use. Does
/// nothing for 0; warns if it fails.
void pinTo(int64_t threads);

/// Copies the sizes of --dim, each at least `least`, to --at, so that memory and costs are for these sizes; `workers`
/// is the last one. Rejects an --at of the user. --threads 0 becomes the number of processors.
llvm::Error takeSizes(SourceOptions &source, InvocationOptions &invocation, int64_t least);

} // namespace attnc
