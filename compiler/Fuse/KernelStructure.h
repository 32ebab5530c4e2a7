//===- KernelStructure.h - structural equality and fingerprint of kernels -----------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace attnc {

/// Returns a text that is equal for kernels of equal structure: types, attributes and ops, without names and source
/// locations. An outlined kernel has no schedule yet, so its text depends on its computation alone.
std::string kernelStructure(mlir::func::FuncOp kernel);

/// Returns a hash of that text, the key of tuning databases.
std::string kernelFingerprint(mlir::func::FuncOp kernel);

} // namespace attnc
