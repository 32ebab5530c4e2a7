//===- Precision.h - storage precisions of tensors ----------------------------------------------------------------===//
//
//   f32    all tensors in f32
//   tf32   the same, but products of contractions on a device may round their operands to tf32
//   bf16   tensors between kernels, weights and caches in bf16; all computation in f32
//   f16    the same in f16
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

enum class Precision { F32, TF32, BF16, F16 };

/// The names "f32", "tf32", ... in the order of the enumeration.
llvm::ArrayRef<llvm::StringLiteral> precisionNames();
llvm::StringRef nameOf(Precision precision);
/// The precision with this name; null if there is none.
std::optional<Precision> precisionNamed(llvm::StringRef name);
/// The type of stored tensors, bf16 or f16; null if tensors are f32.
std::optional<attn_dtype> storedElement(Precision precision);

} // namespace attnc
