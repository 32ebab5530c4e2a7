//===- CheckpointName.h - names of the parameters of a list in files of weights -----------------------------------===//
//
// The parameters of a list of modules have one name with placeholders, in braces, for the indices of the lists around
// them, numbered from the outermost:
//
//   blocks.{0}.norm.gain       blocks.3.norm.gain at index 3
//   layers.{0*6+1+#2}.gain     layers.33.gain at the indices 5 and 1: 5 * 6 + 1 + 2
//
// A placeholder is a sum of list numbers, each optionally with a factor, and of constants after `#`. The runtime has
// the same rules (attn_parameter_name in attn/weights.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace attnc::model {

/// Returns the name at these indices of the lists. Text in braces that is no placeholder for them is unchanged.
std::string checkpointNameAt(llvm::StringRef name, llvm::ArrayRef<int64_t> indices);

} // namespace attnc::model
