//===- EntryResults.h - descriptions of the results of entry points -----------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// The results of an entry point, which follow after its inputs in its table.
inline llvm::ArrayRef<attn_tensor_info> resultsOf(const attn_entry_info &entry) {
  return {entry.tensors + entry.input_count, size_t(entry.result_count)};
}

} // namespace attnc
