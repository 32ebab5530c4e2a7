//===- DataSubscripts.h - test for data-dependent subscripts ------------------------------------------------------===//
//
// A subscript depends on data if it is, or is computed from, a tensor element or another integer that is not an
// `index`. Emitters generate a range check at run time for these subscripts, and for constants that may be the result
// of folding them. The front end has proved that all other subscripts are in range. 32-bit arithmetic counts as data,
// because it may wrap around; the front end uses it for subscripts that it could not prove, such as i * j. It also
// marks these subscripts (attn::unprovedAttrName), because fusion may replace the data: at[i] by i + 1, if at is
// [i] => i + 1.
//
//   independent of data: a[i floordiv 4, select(c, i, 0)]   dependent: t[index_cast(load)], x[index_cast(i32 i + 1)]
//
// The condition of a select does not matter: both alternatives have to be in range. A cast of an index to i32, and
// back, does not matter either: no size exceeds 2^31.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attnc {

/// True if `subscript`, an `index` or an integer in a formula, depends on data.
bool comesFromData(mlir::Value subscript);
/// True if subscript number `number` of `op` is marked as in range (attn::provedAttrName).
bool isProved(mlir::tensor::ExtractOp op, unsigned number);
/// True if subscript number `number` of `op` has to be checked: it is marked or depends on data, or it is a constant
/// other than 0 that is negative, not below the static size of its dimension, or of a dimension of dynamic size. False
/// if isProved().
bool needsCheck(mlir::tensor::ExtractOp op, unsigned number);
/// The subscripts of `op` that are marked. A pass that replaces `op` by another read, or its subscripts by others, must
/// call markUnproved() for the new ones.
llvm::SmallVector<mlir::Value> unprovedSubscripts(mlir::tensor::ExtractOp op);
/// Marks those subscripts of `op` that are, or are computed from, one of `unproved`, and removes all other marks.
void markUnproved(mlir::tensor::ExtractOp op, llvm::ArrayRef<mlir::Value> unproved);
/// True if `subscript` depends on data, or is, or is computed from, one of `unproved`.
bool needsCheck(mlir::Value subscript, llvm::ArrayRef<mlir::Value> unproved);
/// True if a subscript of `op` needs a check.
bool readsByData(mlir::tensor::ExtractOp op);
/// True if a subscript of a tensor.extract in `region`, at any depth, needs a check.
bool readsByData(mlir::Region &region);

} // namespace attnc
