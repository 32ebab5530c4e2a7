//===- Legality.h - legality of fusion ----------------------------------------------------------------------------===//
//
// Predicates on pairs of ops, which the grouping passes test before a fusion, and attn-explain-edges tests again for
// the remaining edges. A predicate returns null if the fusion is legal, otherwise the reason against it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The reason why `consumer`, which reads the result of a contraction through `use`, cannot be its epilogue. Other
/// users of the result are not considered.
std::optional<Reason> whyNotEpilogue(mlir::linalg::GenericOp consumer, mlir::OpOperand &use);

/// Whether the formula of `consumer` with `producer` inlined would exceed the bounds on operations or operands. Each
/// fusion copies the formula, so the bounds keep the fusion of long chains from quadratic time.
bool isFormulaTooLarge(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);

/// The role of an op in a rows kernel: `rows` leading parallel loops, then at most one loop over the elements of a row.
enum class RowPart { Scalar, Map, Reduction };

/// The role of `op` in a kernel with `rows` row loops; null if it has none.
std::optional<RowPart> rowRole(mlir::linalg::GenericOp op, unsigned rows);

/// The reason why `reader` cannot consume the rows of `value` as another op produces them: it reads other rows.
std::optional<Reason> whyNotRowLocal(mlir::linalg::GenericOp reader, mlir::Value value, unsigned rows);

} // namespace attnc
