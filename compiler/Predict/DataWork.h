//===- DataWork.h - instructions of integer arithmetic on data ----------------------------------------------------===//
//
// A part of the cost model. Most index arithmetic is cheap: sums and products of indices become induction variables,
// and the back end folds about half of the comparisons by the bounds of loops (InstructionWork.h). The back end cannot
// fold arithmetic on a number that was just loaded, such as a subscript from data: each operation costs an instruction
// or two.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>

namespace attnc {

/// The number of instructions of `op`, an operation of `arith` or of the llvm dialect on scalar integers that come from
/// data: 2 for a minimum or maximum, 0 for a conversion between widths, 1 for any other. Null if `op` is not scalar
/// integer arithmetic (divisions do not count as such), or if it does not depend on data: a load, an extracted vector
/// element or a conversion from float in the same block, found by a search of up to 64 operations.
std::optional<double> instructionsOnData(mlir::Operation *op);

} // namespace attnc
