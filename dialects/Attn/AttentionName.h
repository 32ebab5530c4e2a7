//===- AttentionName.h - source name of an attention --------------------------------------------------------------===//
//
// The name by which tools display an `attn.attend`: the path of its module and the names of its outer indices. The name
// is stored in the op's location, not in an attribute, so that kernels that differ only in names are merged:
//
//   blocks.{0}.mix[b, h, i]     from [b, h < 4, i] => attend j { ... } in module `mix` of the elements of list `blocks`
//
// The importer writes the name. `attnc explain` and `attnc study` read it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::attn {

/// The name of an attention.
struct AttentionName {
  std::string module; ///< path of the module in checkpoint names, with {k} for the index of list k; empty in the model
  std::vector<std::string> indices; ///< names of the outer indices, in order
};

/// Returns the location `place` with the name: a NameLoc around `place`.
Location namedLocation(Location place, const AttentionName &name);
/// Returns the name in the location of `op`; null if there is none, as for attention raised from plain tensor code.
std::optional<AttentionName> attentionNameOf(Operation *op);

} // namespace mlir::attn
