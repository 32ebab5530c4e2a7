//===- ElementType.h - the element types of tensors ---------------------------------------------------------------===//
//
// The element types of the table (ElementTable.h) as MLIR types: f32, i32, i1 (bool), bf16 and f16. A switch over
// attn_dtype has a case for each row, so a row without an MLIR type does not compile.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementTable.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

/// The row of an MLIR element type; null for types that no tensor of a model has.
std::optional<attn_dtype> elementTypeOf(mlir::Type element);
/// The MLIR type of a row; `dtype` is not ATTN_PACKED_WEIGHT.
mlir::Type mlirElementType(attn_dtype dtype, mlir::MLIRContext *context);
/// Bytes of an element of an integer or floating-point type; an i1 has one.
int64_t elementBytes(mlir::Type element);
/// Whether elements of this type are widened to f32 before anything is computed with them: bf16, f16.
bool isNarrow(mlir::Type element);

} // namespace attnc
