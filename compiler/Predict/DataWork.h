//===- DataWork.h - instructions of integer arithmetic on data ----------------------------------------------------===//
//
// Index arithmetic is cheap: sums and products of indices become induction variables, and the back end folds about half
// of the comparisons by the bounds of loops (InstructionWork.h). It cannot fold arithmetic on a number that was just
// loaded, such as a subscript from data: each operation costs an instruction or two.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>

namespace attnc {

/// Instructions of an operation on scalar integers, of `arith` or of the llvm dialect: 2 of a minimum or maximum, 0 of
/// a conversion between widths, 1 of others. Null if the operation is no integer arithmetic, or if it does not depend
/// on a load, an extracted vector element or a conversion from float in its block (up to 64 operations are searched).
std::optional<double> instructionsOnData(mlir::Operation *op);

} // namespace attnc
