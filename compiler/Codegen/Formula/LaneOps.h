//===- LaneOps.h - scalar ops of `arith` and `math` on vector lanes ---------------------------------------------===//
//
// Each function takes an op of a formula and its operands on lanes, and emits the op for all lanes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"

namespace attnc {

/// The op on these operands: a vector if one of them is, otherwise a scalar.
mlir::Value emitElementwise(const LaneArithmetic &lanes, mlir::Operation *op, llvm::SmallVector<mlir::Value> operands);

/// The op of `arith` on two indices.
LaneIndex emitIndexArithmetic(const LaneArithmetic &lanes, mlir::Operation *op, const LaneIndex &a, const LaneIndex &b);

/// The same op on other operands.
mlir::Value cloneOp(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands, mlir::Type resultType);

} // namespace attnc
