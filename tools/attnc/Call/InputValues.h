//===- InputValues.h - values of inputs by --input NAME=VALUES ----------------------------------------------------===//
//
// VALUES is a file (TensorFile.h), a number for an input of rank 0, one row of words (`words:the dog`) or one label
// (`label:noun`), or a filling: `zeros`, `iota` (0, 1, 2, ...), `random`, or `random:BOUND` (integers below it).
//
// In a training step that accumulates n batches, each input of the loss has one more leading dimension, of size n. A
// value of one batch lacks this dimension (repeatedFor).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "tools/attnc/Call/DrawnInput.h"
#include "tools/attnc/Tensors/Vocabularies.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct InputValues {
  std::string text;  ///< a file, a number or a filling
  HostTensor tensor; ///< the elements of the file, the number or the text; unset for a filling

  bool isFilling() const;
};

/// The values of the first `count` inputs of `entry`, by `options` of the form NAME=VALUES; null for the others. Reads
/// files; each dimension of `dimensions` whose size a file has is set. Fails if an option is wrong, or if a file or
/// number does not have the element type, the rank or a constant size of its input. If `areOfOneBatch`, values of a
/// training step may lack a first dimension whose size is a number. Words and labels are read by `vocabularies`.
llvm::Expected<std::vector<std::optional<InputValues>>> readInputValues(const attn_entry_info &entry, int32_t count,
                                                                        llvm::ArrayRef<std::string> options,
                                                                        const Vocabularies &vocabularies,
                                                                        llvm::MutableArrayRef<int64_t> dimensions,
                                                                        bool areOfOneBatch = false);

/// Sets the elements of a tensor; `drawn` has those of a `random` one.
void fill(HostTensor &tensor, llvm::StringRef filling, DrawnInput drawn);

/// The tensor for an input; if it lacks the first dimension, it is repeated along it.
HostTensor repeatedFor(const attn_tensor_info &input, HostTensor tensor);

/// The size of the first dimension; null if it is not a number.
std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor);

/// Splits NAME=VALUE and returns the number of NAME in `names`, and VALUE. `what` names their kind in messages.
llvm::Expected<std::pair<size_t, llvm::StringRef>> splitNamed(llvm::StringRef option, llvm::StringRef what,
                                                              llvm::ArrayRef<llvm::StringRef> names);

} // namespace attnc
