//===- WithoutWait.h - kernels of which a wait is forgotten -------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include <functional>

namespace attnc {

/// Which ops of a kernel's code are taken away, one in each mutant.
using IsWait = std::function<bool(mlir::Operation *)>;
/// Those for the block or for a warp.
bool isWait(mlir::Operation *op);

/// A mutant for each wait of the kernel without it: in some order of the threads each has to compute something else.
void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const IsWait &which = isWait);

/// Each change of the kernel's code has to compute something else, in some order of the threads.
void expectMutantsAreSeen(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const std::vector<Mutant> &mutants,
                          std::string_view target = "cuda");

} // namespace attnc
