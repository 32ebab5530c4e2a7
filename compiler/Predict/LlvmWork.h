//===- LlvmWork.h - execution resources of LLVM dialect instructions ----------------------------------------------===//
//
// InstructionWork.h for code of another compiler. That code is already optimised: the remaining address arithmetic is
// free, and a scalar load with a broadcast is one load.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/InstructionWork.h"
#include <optional>

namespace attnc {

/// The work of an op of the llvm dialect. Null for ops that InstructionWork.h counts: loads, stores, and ops of other
/// dialects. `registers` is the number of vectors that the op yields, `divided` the work of the divider in vectors.
std::optional<Work> workOfLlvm(mlir::Operation *op, double registers, double divided);

} // namespace attnc
