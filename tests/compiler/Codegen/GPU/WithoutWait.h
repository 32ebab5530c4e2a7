//===- WithoutWait.h - mutants of kernels without one of their waits ----------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include <functional>

namespace attnc {

/// Selects the ops of a kernel's code to remove, one in each mutant.
using IsWait = std::function<bool(mlir::Operation *)>;
/// Selects waits for the block or for a warp.
bool isWait(mlir::Operation *op);

/// Expects that the kernel without any one of its waits computes another result in some order of the threads.
void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const IsWait &which = isWait);

/// Expects that each change of the kernel's code computes another result in some order of the threads.
void expectMutantsAreSeen(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const std::vector<Mutant> &mutants,
                          std::string_view target = "cuda");

} // namespace attnc
