//===- Legality.h - legality of fusion ----------------------------------------------------------------------------===//
//
// The grouping passes test these predicates on pairs of ops before a fusion. The pass attn-explain-edges tests them
// again for the edges that remain. A `whyNot` function returns null if the fusion is legal, otherwise the reason
// against it (compiler/Analysis/Decisions.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The reason why `consumer` cannot be the epilogue of a contraction, whose result it reads through `use`, an operand
/// of `consumer`. An epilogue is pointwise and has one result, and its formula depends on the elements of its operands
/// alone (isElementFunction). It reads the contraction's result at its loop indices in order, and each other operand at
/// distinct loop indices. Other users of the result are not considered.
std::optional<Reason> whyNotEpilogue(mlir::linalg::GenericOp consumer, mlir::OpOperand &use);

/// True if `producer` and `consumer` together have more than 256 operations or 64 inputs; the terminators and the edge
/// between the two count. Each fusion copies the formula; without a limit the fusion of a long chain takes quadratic
/// time.
bool isFormulaTooLarge(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);

/// The role of `op` in a rows kernel with `rows` row loops. Null if it has none: it is neither pointwise nor a
/// reduction of the last loop alone to one element for each row, it has another number of loops, or, as a reduction, it
/// reads an operand that is not subscripted by distinct loops, or whose row is not contiguous.
std::optional<RowRole> rowRole(mlir::linalg::GenericOp op, unsigned rows);

/// The reason why `reader` cannot read `value` row by row, while another op of the same kernel computes its rows. The
/// first `rows` dimensions of `value` number the rows. `reader` must read the row of its own row indices, and elements
/// of this row at loop indices; as an initial value, it must not read `value` at all. Null if it does so, or if it does
/// not read `value`.
std::optional<Reason> whyNotRowLocal(mlir::linalg::GenericOp reader, mlir::Value value, unsigned rows);

} // namespace attnc
