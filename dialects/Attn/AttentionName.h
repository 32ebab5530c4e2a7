//===- AttentionName.h - what a model calls an attention ---------------------------------------------------------===//
//
// Where an attention stands in the model, and what its outer indices are called, for those who show it to people. It is
// part of the op's location, for kernels are the same whatever things are called:
//
//   blocks.{0}.mix[b, h, i]     of module `mix` in each of the list `blocks`: [b, h < 4, i] => attend j { ... }
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::attn {

struct AttentionName {
  std::string module;               ///< as checkpoints name it, with {k} for the index of the k-th list; may be empty
  std::vector<std::string> indices; ///< the outer ones
};

Location namedLocation(Location place, const AttentionName &name);
/// Nothing where the model does not say, as of attention that was written as plain tensor code.
std::optional<AttentionName> attentionNameOf(Operation *op);

} // namespace mlir::attn
