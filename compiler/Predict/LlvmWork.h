//===- LlvmWork.h - what instructions of LLVM ask of a core -------------------------------------------------------===//
//
// InstructionWork.h for code that came from another compiler. It has been optimised there, so what is left of
// arithmetic on addresses is hidden behind the rest, and a number that is loaded and spread over a vector is one load.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/InstructionWork.h"
#include <optional>

namespace attnc {

/// Nothing of what InstructionWork.h counts: loads, stores, and ops of other dialects. `registers` is how many vectors
/// the op makes, `divided` how many a divider works through.
std::optional<Work> workOfLlvm(mlir::Operation *op, double registers, double divided);

} // namespace attnc
