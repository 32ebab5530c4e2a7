//===- FusedWork.h - names of the work that is fused into a kernel ------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace attnc {

/// Words for the work that a kernel does beside its main op, in this order: "mask"; "N reductions" for a rows or loops
/// kernel of several ops; functions in its formulas ("tanh"), and "gather" for reads at subscripts from data; names of
/// parameters with one dimension ("bias"), and "residual" for another tensor that an epilogue adds. `call` is one of
/// the kernel's launches.
std::vector<std::string> fusedWork(mlir::func::FuncOp kernel, mlir::func::CallOp call);

} // namespace attnc
