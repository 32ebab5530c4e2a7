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

/// Returns `place` with the name.
Location namedLocation(Location place, const AttentionName &name);
/// Returns the name in the op's location; null if there is none, as for attention raised from plain tensor code.
std::optional<AttentionName> attentionNameOf(Operation *op);

} // namespace mlir::attn
