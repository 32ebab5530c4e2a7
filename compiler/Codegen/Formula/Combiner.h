//===- Combiner.h - the combiners of attn.reduce on scalars and vectors -----------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// The combiner applied to two values of the same type. Sums of floats may contract.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind, mlir::Value a,
                    mlir::Value b);
/// Its neutral element as a constant.
mlir::Value neutralElement(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                           mlir::Type type);

} // namespace attnc
