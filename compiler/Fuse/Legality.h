//===- Legality.h - legality of fusion ----------------------------------------------------------------------------===//
//
// Predicates on pairs of ops, which the grouping passes test before a fusion, and attn-explain-edges tests again for
// the remaining edges. A predicate returns null if the fusion is legal, otherwise the reason against it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Returns the reason why `consumer`, which reads the result of a contraction through `use`, cannot be its epilogue.
/// Other users of the result are not considered.
std::optional<Reason> whyNotEpilogue(mlir::linalg::GenericOp consumer, mlir::OpOperand &use);

/// True if the formula of `consumer` with `producer` inlined exceeds the limits of operations or operands. Each fusion
/// copies the formula; without limits the fusion of a long chain takes quadratic time.
bool isFormulaTooLarge(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);

/// Returns the role of `op` in a kernel with `rows` row loops; null if it has no role.
std::optional<RowRole> rowRole(mlir::linalg::GenericOp op, unsigned rows);

/// Returns the reason why `reader` cannot consume the rows of `value`, which has `rows` leading dimensions, as another
/// op produces them: it reads other rows, or elements of a row at subscripts other than a loop index. Null if it can,
/// or if it does not read `value`.
std::optional<Reason> whyNotRowLocal(mlir::linalg::GenericOp reader, mlir::Value value, unsigned rows);

} // namespace attnc
