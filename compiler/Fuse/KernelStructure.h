//===- KernelStructure.h - structural equality and fingerprint of kernels -----------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace attnc {

/// A text that is equal for kernels of equal structure: types, attributes and ops, without names and source locations.
/// After outlining a kernel has no schedule, so its text depends on its computation alone.
std::string kernelStructure(mlir::func::FuncOp kernel);

/// A hash of the text, the key of tuning databases.
std::string kernelFingerprint(mlir::func::FuncOp kernel);

} // namespace attnc
