//===- NameLists.h - short listings of tensors by name ------------------------------------------------------------===//
//
// The tensors of a list of modules take one line: "blocks.{0..5}.mix.weight" stands for six names.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace attnc {

/// A tensor by its name in a checkpoint, and a note such as its type and shape.
struct NamedTensor {
  std::string name, note;
};

/// Joins tensors with equal notes whose names differ in one number between dots; then does the same for the results.
/// Their numbers are a range, {0..5}, or a list, {0,2,4..7}. The order is that of first tensors.
std::vector<NamedTensor> joinLists(llvm::ArrayRef<NamedTensor> tensors);

} // namespace attnc
