//===- InputValues.h - values of inputs by --input NAME=VALUES ----------------------------------------------------===//
//
// VALUES is one of: a file (TensorFile.h); a number, for an input of rank 0; one row of words (`words:the dog`); one
// label (`label:noun`); or a filling, which is `zeros`, `iota` (0, 1, 2, ...), `random`, or `random:BOUND` (random
// integers from 0 to BOUND - 1).
//
// In a training step that accumulates the gradients of n batches, each input of the loss has one more leading
// dimension, of size n. The value of an input for one batch lacks this dimension; repeatedFor() repeats it along the
// dimension.
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

/// The values of one input.
struct InputValues {
  std::string text;  ///< VALUES of the option
  HostTensor tensor; ///< the elements of the file, number, words or label; without elements for a filling

  bool isFilling() const; ///< whether `text` is a filling, whose elements fill() sets
};

/// Reads the values of the first `count` inputs of `entry` from `options`, each NAME=VALUES. The result has `count`
/// elements, null for an input without an option. `dimensions` has the sizes of the entry point's dimensions in order;
/// each size that a file determines is set, the others are unchanged. If files contradict each other, the last one sets
/// the size: the caller checks the shapes (attn_infer_dimensions). If `areOfOneBatch`, values for a training step may
/// lack a first dimension whose size is a number. `vocabularies` converts words and labels to numbers. An error if an
/// option is wrong or names an input twice, if a file cannot be read, if words or labels have no vocabulary, or if a
/// file or number does not have the element type, the rank or a constant size of its input. (An f32 file for an input
/// of 16 bits is rounded.)
llvm::Expected<std::vector<std::optional<InputValues>>> readInputValues(const attn_entry_info &entry, int32_t count,
                                                                        llvm::ArrayRef<std::string> options,
                                                                        const Vocabularies &vocabularies,
                                                                        llvm::MutableArrayRef<int64_t> dimensions,
                                                                        bool areOfOneBatch = false);

/// Sets all elements of `tensor` by a filling. `drawn` gives the elements for `random`; `random:BOUND` replaces its
/// bound.
void fill(HostTensor &tensor, llvm::StringRef filling, DrawnInput drawn);

/// `tensor` with the rank of `input`. If `tensor` lacks the first dimension, whose size must be a number, the result
/// repeats the elements of `tensor` along this dimension.
HostTensor repeatedFor(const attn_tensor_info &input, HostTensor tensor);

/// The size of the tensor's first dimension; null if the rank is 0, if the size depends on the entry point's
/// dimensions, or if it is 0.
std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor);

/// Splits the option NAME=VALUE. Returns the index of NAME in `names`, and VALUE, which refers to `option`. An error if
/// there is no `=`, or if `names` does not contain NAME. `what` is the noun for the names in messages: "input".
llvm::Expected<std::pair<size_t, llvm::StringRef>> splitNamed(llvm::StringRef option, llvm::StringRef what,
                                                              llvm::ArrayRef<llvm::StringRef> names);

} // namespace attnc
