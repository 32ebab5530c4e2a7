//===- Legality.h - may two ops share a kernel? -------------------------------------------------------------------===//
//
// The questions that the forming passes ask before they join two ops, and that attn-explain-edges asks again afterwards
// of the edges that were left: the answer is nothing, or the reason why not.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Why `consumer`, which reads the result of a contraction through `use`, cannot be its epilogue. Whether the result
/// has other readers is not asked.
std::optional<Reason> whyNotEpilogue(mlir::linalg::GenericOp consumer, mlir::OpOperand &use);

/// Whether the formula of `consumer` with that of `producer` in it would take more operations, or read more tensors,
/// than a kernel gains by: each is copied when the next one joins it, so this bounds what fusing a long chain takes.
bool isFormulaTooLarge(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);

/// How an op runs over rows: `rows` leading parallel loops, then at most one loop over a row's elements.
enum class RowPart { Scalar, Map, Reduction };

/// The part that `op` can take in a kernel whose rows are counted by `rows` loops.
std::optional<RowPart> rowRole(mlir::linalg::GenericOp op, unsigned rows);

/// Why `reader` cannot take `value`, which another op makes row by row, as it is made: it reads other rows.
std::optional<Reason> whyNotRowLocal(mlir::linalg::GenericOp reader, mlir::Value value, unsigned rows);

} // namespace attnc
