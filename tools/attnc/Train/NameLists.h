//===- NameLists.h - short listings of tensors by name ------------------------------------------------------------===//
//
// The tensors of a list of modules are printed in one line: "blocks.{0..5}.mix.weight" stands for six names.
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

/// Replaces tensors with equal notes whose names differ only in one number between dots (at most nine digits, without
/// leading zeros) by one element. Its name has the numbers as a range, {0..5}, or as a list of numbers and ranges,
/// {0,2,4..7}. Repeats this for other positions of the name: "a.{0..5}.b.{0,1}". The elements are in the order of the
/// first tensor of each.
std::vector<NamedTensor> joinLists(llvm::ArrayRef<NamedTensor> tensors);

} // namespace attnc
