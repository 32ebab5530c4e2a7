//===- TypeText.h - types of inputs and results in messages -------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace attnc {

struct HostTensor;

/// The type of an input or result: "f32[batch, 2*n - 1]"; "f32" if its rank is 0. `dimensions` has the names of the
/// entry point's dimensions in order.
std::string typeText(const attn_tensor_info &tensor, llvm::ArrayRef<std::string> dimensions);
/// The same with the names of the dimensions of `entry`, to which the tensor belongs.
std::string typeText(const attn_entry_info &entry, const attn_tensor_info &tensor);
/// The type of a tensor in memory: "f32[8, 15]".
std::string typeText(const HostTensor &tensor);

} // namespace attnc
