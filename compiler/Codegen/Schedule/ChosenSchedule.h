//===- ChosenSchedule.h - the schedule that an emitter chose for a kernel ---------------------------------------===//
//
// `attn.schedule` of a kernel is the request of a strategy or a tuning database (Kernel.h), and emitters only read it.
// An emitter records the values it used, requested or its own, in a second dictionary, `attn.chosen_schedule`. A key
// that the kernel's code does not use is absent.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <variant>

namespace attnc {

inline constexpr llvm::StringLiteral chosenScheduleAttrName = "attn.chosen_schedule";

/// On a kernel whose schedule comes from a tuning database: the measured gain, as text.
inline constexpr llvm::StringLiteral tunedAttrName = "attn.tuned";

/// On a kernel: a dictionary of reasons against requested values, by schedule key.
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
/// The recorded choices, sorted by key; empty before the kernel is emitted.
llvm::ArrayRef<mlir::NamedAttribute> chosenSchedule(mlir::func::FuncOp kernel);
/// The recorded choice of a key, as text or as a number; null if there is none.
std::optional<std::string> chosenText(mlir::func::FuncOp kernel, llvm::StringRef key);
std::optional<int64_t> chosenNumber(mlir::func::FuncOp kernel, llvm::StringRef key);

/// Adds to `attn.declined`. `reason` completes "x.form=decode was not honoured: the kernel has form = prefill: ...".
void recordDeclined(mlir::func::FuncOp kernel, llvm::StringRef key, llvm::StringRef reason);
/// The recorded reason against the requested value of a key; empty if there is none.
llvm::StringRef declinedReason(mlir::func::FuncOp kernel, llvm::StringRef key);

} // namespace attnc
