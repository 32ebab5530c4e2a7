//===- ElementTable.h - names and formats of the element types, without MLIR --------------------------------------===//
//
// The element types of tensors are the rows of the table ATTN_ELEMENT_TYPES (attn/model.h): f32, i32, bool, bf16 and
// f16. ElementType.h adds their MLIR types; attn_element_bytes (attn/model.h) returns the bytes of an element. An
// argument `dtype` must be a row of the table. ATTN_PACKED_WEIGHT, which marks a weight in a layout that an emitter
// determines, is no row, and is allowed only where stated.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// All rows of the table.
llvm::ArrayRef<attn_dtype> elementTypes();

/// The name in models, dumps and messages: "f32"; "packed" for ATTN_PACKED_WEIGHT, which is allowed here.
llvm::StringRef elementTypeName(attn_dtype dtype);
/// The C type that holds an element: "float", "int32_t", "uint8_t", "uint16_t".
llvm::StringRef elementTypeInC(attn_dtype dtype);
/// "ATTN_F32".
llvm::StringRef elementTypeEnumerator(attn_dtype dtype);
/// The name in safetensors files: "F32", "BOOL".
llvm::StringRef elementTypeInSafetensors(attn_dtype dtype);

/// The floating-point format of bf16 or f16, in which tensors are stored but nothing is computed; null for other types,
/// ATTN_PACKED_WEIGHT included.
const llvm::fltSemantics *narrowFormat(attn_dtype dtype);
/// The type that code computes with: f32 for bf16 and f16, otherwise the type itself.
attn_dtype widened(attn_dtype dtype);
/// The largest relative error of rounding to a format: 2^-24 of f32, 2^-8 of bf16, 2^-11 of f16.
double unitRoundoff(const llvm::fltSemantics &format);
/// The number of a binary IEEE format that is nearest to `value`, ties to even; infinite beyond the largest finite one.
/// Zeros, infinities and NaN stay.
double roundTo(const llvm::fltSemantics &format, double value);

/// The bits of the number of `format` that is nearest to `value`, ties to even, in the low bits of the result.
uint64_t narrowBits(const llvm::fltSemantics &format, double value);
/// The number that these bits represent in `format`.
double numberOfBits(const llvm::fltSemantics &format, uint64_t bits);

} // namespace attnc
