//===- CotangentTensors.h - sums and zeros of cotangents ----------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace attnc {

/// Whether the value is a tensor of f32.
bool isReal(mlir::Value value);
/// a + b, element by element.
mlir::Value addElementwise(mlir::OpBuilder &builder, mlir::Location location, mlir::Value a, mlir::Value b);
/// Zeros of the size of `like`.
mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);
/// A list of the size of `like` with `element` at one index and zeros elsewhere. A write into a list of zeros would
/// copy it: zeros are loop-invariant, so other users would share them.
mlir::Value oneElementList(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element,
                           mlir::Value elementIndex, mlir::Value like);

} // namespace attnc
