//===- WithoutWait.h - mutation tests of device kernels: removed barriers and other changes -----------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include <functional>

namespace attnc {

/// A predicate that selects the ops of a kernel's code to remove, one in each mutant.
using IsWait = std::function<bool(mlir::Operation *)>;
/// Selects barriers of the block (bar.sync) and of a warp.
bool isWait(mlir::Operation *op);

/// Expects that the removal of each single op that `which` selects is seen, as by expectMutantsAreSeen(). `kernel` is
/// the MLIR text of a kernel for the GPU emitter.
void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const IsWait &which = isWait);

/// Expects that each mutant gives other results than the kernel, or a fault, in ascending or descending order of
/// threads, and that the kernel itself gives bitwise equal results in both orders. Fails the test otherwise, and if a
/// mutant picks no op.
void expectMutantsAreSeen(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const std::vector<Mutant> &mutants,
                          std::string_view target = "cuda");

} // namespace attnc
