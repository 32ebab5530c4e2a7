//===- AttentionName.h - source name of an attention --------------------------------------------------------------===//
//
// The module of an attention and the names of its outer indices, for display. The name is part of the op's location,
// because equal kernels are merged whatever their names:
//
//   blocks.{0}.mix[b, h, i]     from [b, h < 4, i] => attend j { ... } in module `mix` of the elements of list `blocks`
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::attn {

struct AttentionName {
  std::string module;               ///< as in checkpoint names, with {k} for the index of list k; may be empty
  std::vector<std::string> indices; ///< names of the outer indices
};

Location namedLocation(Location place, const AttentionName &name);
/// Returns the name; null if the op has no named location, such as attention raised from plain tensor code.
std::optional<AttentionName> attentionNameOf(Operation *op);

} // namespace mlir::attn
