//===- Source.h - what the import of a checkpoint reads besides config.json ---------------------------------------===//
//
// config.json alone does not determine the names of all tensors: files that were saved by different programs have other
// prefixes, older names, or further heads. A family can therefore ask whether the weights have a tensor.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringSet.h"
#include <string>

namespace attnc {

class Source {
public:
  /// `name` describes the source in the first line of the model file: "config.json of Llama-3.2-1B". Reads the names of
  /// the tensors in `folder`. If the folder has no weights, or they are damaged, no names are known: the program that
  /// loads the weights reports it.
  Source(const std::string &folder, std::string name);

  /// Whether the weights have a tensor with this name; `otherwise` if no names are known.
  bool hasTensor(llvm::StringRef tensor, bool otherwise) const {
    return tensors.empty() ? otherwise : tensors.contains(tensor);
  }

  std::string name;

private:
  llvm::StringSet<> tensors;
};

} // namespace attnc
