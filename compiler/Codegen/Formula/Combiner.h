//===- Combiner.h - the combiners of attn.reduce on scalars and vectors -------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// Emits `kind` (add, mul, max or min) of two values of the same type: a float, an integer (signed), or a vector of
/// these. Extrema of floats are NaN if an operand is. Sums of floats have the flag `contract`, which permits an fma.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind, mlir::Value a,
                    mlir::Value b);
/// Emits the neutral element of `kind` as a constant of `type` (a scalar or a vector): 0, 1, or for max and min the
/// least and the greatest number of the type (floats: minus infinity and infinity).
mlir::Value neutralElement(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                           mlir::Type type);

} // namespace attnc
