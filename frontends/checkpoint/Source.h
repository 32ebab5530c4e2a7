//===- Source.h - what the import of a checkpoint reads besides config.json ---------------------------------------===//
//
// config.json alone does not determine the names of all tensors: files that were saved by different programs have other
// prefixes, older names, or further heads. A family can therefore ask whether the weights have a tensor. The loss of a
// masked language model has a token of the vocabulary, which is in tokenizer.json.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>

namespace attnc {

class Source {
public:
  explicit Source(std::string folder) : folder(std::move(folder)) {}

  /// Whether the weights in the folder have a tensor with this name; `otherwise` if no names are known, because the
  /// folder has no weights, or they are damaged: the program that loads the weights reports it. The first call reads
  /// the names, which most families do not need.
  bool hasTensor(llvm::StringRef tensor, bool otherwise) const;

  /// The number of the added token that has one of these texts in tokenizer.json; null if there is none, or no file.
  std::optional<int64_t> addedToken(llvm::ArrayRef<llvm::StringRef> texts) const;

private:
  std::string folder;
  mutable std::optional<llvm::StringSet<>> tensors; ///< null before the first call of hasTensor()
};

} // namespace attnc
