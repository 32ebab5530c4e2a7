//===- Source.h - what the import of a checkpoint reads besides config.json ---------------------------------------===//
//
// config.json alone does not determine the names of all tensors: files that were saved by different programs have other
// prefixes, older names, or further heads. A family can therefore ask whether the weights have a tensor.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

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

private:
  std::string folder;
  mutable std::optional<llvm::StringSet<>> tensors; ///< null before the first call of hasTensor()
};

} // namespace attnc
