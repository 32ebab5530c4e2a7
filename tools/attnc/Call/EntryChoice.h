//===- EntryChoice.h - choice of an entry point by name or kind ---------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// The entry points that a command supports.
struct EntryKind {
  llvm::StringRef does; ///< what they do, in messages behind "entry point": "trains"
  llvm::StringRef hint; ///< behind "the model has no entry point that trains", where there is something to say
  bool (*contains)(const attn_entry_info &) = [](const attn_entry_info &) { return true; };
};

/// The number of the entry point `name`, or of the only one where that is empty. An error names those that there are.
llvm::Expected<int64_t> chooseEntry(const attn_model &model, llvm::StringRef name, const EntryKind &kind);

} // namespace attnc
