//===- ChosenSchedule.h - record of the schedule that an emitter chose --------------------------------------------===//
//
// The attribute `attn.schedule` of a kernel contains the requests of a strategy or a tuning database (Kernel.h);
// emitters only read it. While it generates the kernel, an emitter for processors records the values that the code
// uses, requested or chosen by itself, in a second dictionary: `attn.chosen_schedule`. A key that the code does not use
// is absent. `attnc explain`, model.json, `attnc tune` and warnings about overrides read the record.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <variant>

namespace attnc {

inline constexpr llvm::StringLiteral chosenScheduleAttrName = "attn.chosen_schedule";

/// On a kernel whose schedule comes from a tuning database: TuningEntry::gain as text with two decimals, "1.21".
inline constexpr llvm::StringLiteral tunedAttrName = "attn.tuned";

/// On a kernel: a dictionary from schedule keys to the reason why the requested value is not used.
inline constexpr llvm::StringLiteral declinedAttrName = "attn.declined";

/// A schedule key (ScheduleKeys.h) and its value, a number or a word.
struct Choice {
  llvm::StringRef key;
  std::variant<int64_t, llvm::StringRef> value;
};

/// The value of a choice as an integer (i64) or string attribute.
mlir::Attribute attributeOf(mlir::MLIRContext *context, const Choice &choice);
/// The text of an integer or string attribute, "6" or "decode"; null for other attributes.
std::optional<std::string> choiceText(mlir::Attribute value);

/// Sets `attn.chosen_schedule` to these choices, in place of earlier ones.
void recordSchedule(mlir::func::FuncOp kernel, llvm::ArrayRef<Choice> choices);
/// The recorded choices, sorted by key; empty before the kernel is emitted, and if its emitter records none.
llvm::ArrayRef<mlir::NamedAttribute> chosenSchedule(mlir::func::FuncOp kernel);
/// The recorded choice of a key, as text; null if there is none.
std::optional<std::string> chosenText(mlir::func::FuncOp kernel, llvm::StringRef key);
/// The recorded choice of a key; null if there is none or if it is a word.
std::optional<int64_t> chosenNumber(mlir::func::FuncOp kernel, llvm::StringRef key);

/// Records in `attn.declined` why the requested value of `key` is not used, in place of an earlier reason. `reason`
/// completes "x.form=decode was not honoured: the kernel has form = prefill: ...".
void recordDeclined(mlir::func::FuncOp kernel, llvm::StringRef key, llvm::StringRef reason);
/// The recorded reason against the requested value of a key; empty if there is none.
llvm::StringRef declinedReason(mlir::func::FuncOp kernel, llvm::StringRef key);

} // namespace attnc
