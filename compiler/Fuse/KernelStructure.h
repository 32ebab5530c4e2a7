//===- KernelStructure.h - what makes two kernels the same --------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace attnc {

/// A text that is equal for kernels of equal structure: types, attributes and ops, but no names and no places. Of a
/// kernel as outlining leaves it, which has no schedule yet, it is a fact of the model's mathematics.
std::string kernelStructure(mlir::func::FuncOp kernel);

/// A hash of that, by which a database knows the kernel in any model.
std::string kernelFingerprint(mlir::func::FuncOp kernel);

} // namespace attnc
