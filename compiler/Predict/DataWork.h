//===- DataWork.h - arithmetic on integers that come from data ----------------------------------------------------===//
//
// Sums and products of indices grow from turn to turn of a loop, and half of their comparisons the back end knows by
// the bounds of loops: they cost little (InstructionWork.h). Of a number that was loaded just before, as a subscript
// that comes from data, it knows nothing, and each operation on it is an instruction or two.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>

namespace attnc {

/// Instructions of an operation on scalar integers, of `arith` or of the llvm dialect; nothing where it is no such one,
/// or is not on what its block loads, takes from a vector or converts from floats, as far as 64 operations tell.
std::optional<double> instructionsOnData(mlir::Operation *op);

} // namespace attnc
