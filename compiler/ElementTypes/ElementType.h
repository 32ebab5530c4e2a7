//===- ElementType.h - the element types of tensors ---------------------------------------------------------------===//
//
// The rows of ATTN_ELEMENT_TYPES (attn/model.h) with their MLIR types: f32, i32, i1 (bool), bf16 and f16. A switch over
// attn_dtype has a case for each row, so a row without an MLIR type does not compile.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

/// All rows of the table.
llvm::ArrayRef<attn_dtype> elementTypes();
/// The row of an MLIR element type; null for types that no tensor of a model has.
std::optional<attn_dtype> elementTypeOf(mlir::Type element);
mlir::Type mlirElementType(attn_dtype dtype, mlir::MLIRContext *context);
/// Bytes of an element of an integer or floating-point type; an i1 has one.
int64_t elementBytes(mlir::Type element);

/// "f32"; "packed" for ATTN_PACKED_WEIGHT.
llvm::StringRef elementTypeName(attn_dtype dtype);
/// The C type that holds an element: "float", "int32_t", "uint8_t", "uint16_t".
llvm::StringRef elementTypeInC(attn_dtype dtype);
/// "ATTN_F32".
llvm::StringRef elementTypeEnumerator(attn_dtype dtype);

/// The storage-only floating-point format of bf16 and f16; null for other types.
const llvm::fltSemantics *narrowFormat(attn_dtype dtype);
/// Whether elements of this type are widened to f32 before anything is computed with them: bf16, f16.
bool isNarrow(mlir::Type element);
/// The largest relative error of rounding to a format: 2^-24 of f32, 2^-8 of bf16, 2^-11 of f16.
double unitRoundoff(const llvm::fltSemantics &format);

} // namespace attnc
