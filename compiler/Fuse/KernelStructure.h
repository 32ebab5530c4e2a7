//===- KernelStructure.h - structural equality and fingerprint of kernels -----------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace attnc {

/// Returns a text that is equal for two kernels exactly if they have the same types, attributes and ops. The kernel's
/// name, names of values and source locations are not part of it. Right after outlining a kernel has no schedule
/// attributes, so its text depends on its computation alone.
std::string kernelStructure(mlir::func::FuncOp kernel);

/// Returns a 128-bit hash of kernelStructure() as 32 hexadecimal digits. It is the key of a kernel in tuning databases.
std::string kernelFingerprint(mlir::func::FuncOp kernel);

} // namespace attnc
