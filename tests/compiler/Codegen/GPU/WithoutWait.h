//===- WithoutWait.h - kernels of which a wait is forgotten -------------------------------------------------------===//
#pragma once

#include "tests/support/KernelRunner.h"

namespace attnc {

/// A mutant for each wait of the kernel, for the block or for a warp, without it: in some order of the threads each has
/// to compute something else.
void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes);

} // namespace attnc
