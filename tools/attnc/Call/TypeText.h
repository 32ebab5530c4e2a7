//===- TypeText.h - types of inputs and results in messages -------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace attnc {

struct HostTensor;

/// "f32[batch, 2*n - 1]": the type of an input or result, with these names of the entry point's dimensions; "f32" for a
/// number.
std::string typeText(const attn_tensor_info &tensor, llvm::ArrayRef<std::string> dimensions);
/// The same with the names in `entry`.
std::string typeText(const attn_entry_info &entry, const attn_tensor_info &tensor);
/// "f32[8, 15]".
std::string typeText(const HostTensor &tensor);

} // namespace attnc
