//===- EntryChoice.h - choice of an entry point by name or kind ---------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// The entry points that a command supports; by default all.
struct EntryKind {
  llvm::StringRef does; ///< predicate for the message "no entry point that ...": "trains"; empty for all entry points
  llvm::StringRef hint; ///< appended to "the model has no entry point that trains", with its separator; may be empty
  bool (*contains)(const attn_entry_info &) = [](const attn_entry_info &) { return true; };
};

/// The index in `model.entries` of the entry point `name`, which must be of `kind`; if `name` is empty, the index of
/// the only entry point of `kind`. An error if there is no such entry point, or if `name` is empty and there are
/// several; the message lists the entry points of `kind`, or has its hint if there are none.
llvm::Expected<int64_t> chooseEntry(const attn_model &model, llvm::StringRef name, const EntryKind &kind);

} // namespace attnc
