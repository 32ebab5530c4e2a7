//===- CotangentTensors.h - builders of sums, zeros and lists of cotangents ---------------------------------------===//
//
// A cotangent is the derivative of the loss with respect to a value: an f32 tensor of the value's shape. The functions
// that take a builder emit ops at its insertion point.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace attnc {

/// True if `value` is a ranked tensor of f32.
bool isReal(mlir::Value value);
/// a + b, element by element, of two f32 tensors of the same shape. If one of the two is an attn.scatter_add onto zeros
/// in the builder's block and has no user, the function moves the scatter to the insertion point, makes it add onto the
/// other tensor, and returns its result.
mlir::Value addElementwise(mlir::OpBuilder &builder, mlir::Location location, mlir::Value a, mlir::Value b);
/// Zeros of the shape of `like`, an f32 tensor.
mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);
/// A list of the shape of `like`, an f32 tensor whose leading dimension counts elements: `element` at `elementIndex`
/// (an `index`), zeros elsewhere. The list is written by one formula, because model.with_element on zeros would copy
/// them: zeros are loop-invariant, so other ops share them.
mlir::Value oneElementList(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element,
                           mlir::Value elementIndex, mlir::Value like);

} // namespace attnc
