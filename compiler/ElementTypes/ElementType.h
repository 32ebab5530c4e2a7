//===- ElementType.h - the element types of tensors as MLIR types -------------------------------------------------===//
//
// The rows of the table of element types (ElementTable.h) as MLIR types: f32, i32, i1 (bool), bf16 and f16.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementTable.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

/// The row of an MLIR element type; null for types that no tensor of a model has.
std::optional<attn_dtype> elementTypeOf(mlir::Type element);
/// The MLIR type of a row; `dtype` must not be ATTN_PACKED_WEIGHT.
mlir::Type mlirElementType(attn_dtype dtype, mlir::MLIRContext *context);
/// Bytes of an element of any integer or floating-point type; an i1 has one.
int64_t elementBytes(mlir::Type element);
/// True for bf16 and f16, whose elements are widened to f32 before anything is computed with them.
bool isNarrow(mlir::Type element);

} // namespace attnc
