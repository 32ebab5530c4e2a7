//===- ChosenSchedule.h - what became of a kernel's schedule ----------------------------------------------------===//
//
// `attn.schedule` says what is wanted of a kernel before it is emitted, and what it has afterwards: the emitter puts
// its choices in place of the dictionary, asked for or its own. A key that the kernel makes no use of is left out.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <variant>

namespace attnc {

/// On a kernel whose schedule is of a tuning database: the gain that was measured, as a text.
inline constexpr llvm::StringLiteral tunedAttrName = "attn.tuned";

/// On a kernel: a dictionary of reasons, by key of its schedule, why it can't have the value that was asked for.
inline constexpr llvm::StringLiteral declinedAttrName = "attn.declined";

struct Choice {
  llvm::StringRef key;
  std::variant<int64_t, llvm::StringRef> value;
};

mlir::Attribute attributeOf(mlir::MLIRContext *context, const Choice &choice);
void recordSchedule(mlir::func::FuncOp kernel, llvm::ArrayRef<Choice> choices);

/// `reason` completes "x.form=decode was not honoured: the kernel has form = prefill: ...".
void recordDeclined(mlir::func::FuncOp kernel, llvm::StringRef key, llvm::StringRef reason);
/// Empty where none was recorded.
llvm::StringRef whyDeclined(mlir::func::FuncOp kernel, llvm::StringRef key);

} // namespace attnc
