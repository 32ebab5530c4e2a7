//===- LlvmWork.h - execution resources of LLVM dialect instructions ----------------------------------------------===//
//
// The part of WorkTime::workOf() (InstructionWork.h) for ops of the llvm dialect, the code that Halide has compiled.
// Halide's code is already optimised: its remaining address arithmetic is free, and a scalar load and its broadcast are
// one load.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/InstructionWork.h"
#include <optional>

namespace attnc {

/// The work of `op`, an op of the llvm dialect. `registers` is the number of vector registers of its result, and
/// `divided` the number of vector operations of the divider if `op` is a division or a square root. Null for ops that
/// WorkTime counts itself: loads, stores, prefetches, and ops of other dialects.
std::optional<Work> workOfLlvm(mlir::Operation *op, double registers, double divided);

} // namespace attnc
