//===- FusedWork.h - names of the work that is fused into a kernel ------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace attnc {

/// Words for the work that a kernel does beside its main op (its attention or contraction), each once, for `attnc
/// explain`. In this order:
///
///   - "mask" for an attention with a mask,
///   - "N reductions" for a kernel without a main op that has several linalg.generic ops, N > 0 of them reductions,
///   - functions in its formulas, such as "tanh", and "gather" for reads at subscripts from data,
///   - the last part of the names of parameters with at most one dimension, such as "bias", and "residual" for a tensor
///     that is no parameter and that the epilogue of a contraction adds; operands of the main op are excluded.
///
/// `kernel` is a kernel function after generate, and `call` one of its launches, which gives the parameters' names.
std::vector<std::string> fusedWork(mlir::func::FuncOp kernel, mlir::func::CallOp call);

} // namespace attnc
