//===- ModelPaths.h - module paths of launches --------------------------------------------------------------------===//
//
// A launch has a module path for display: "blocks.mix.qkv" instead of the symbol "logits_gemm_0". The path has no index
// of a list, because a loop over the list runs the launch once for each module. The first rule that yields a path
// applies:
//
//   1. the module of an attention that the kernel computes (AttentionName.h), and the modules of the parameters that
//      the launch reads:          blocks.mix.qkv.weight, blocks.mix.qkv.bias         blocks.mix.qkv
//                                 blocks.mix.out.bias, blocks.norm2.gain             blocks.mix.out + blocks.norm2
//   2. the modules of the parameters that its result updates, in a training step
//   3. the path of the launches that read its result in the same iteration, if all with a path have the same one
//   4. the result of the entry point that it computes
//
// An outer module stands for its inner modules: "blocks.mix" for "blocks.mix" and "blocks.mix.qkv". A state of an
// optimizer is ignored beside its parameter. A parameter of the model itself, outside of all modules, is its own path.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include <set>

namespace attnc {

/// Facts about each launch of an entry point, by number of the launch. The parameters that a launch reads are in the
/// edges.
struct LaunchOrigins {
  std::vector<std::set<std::string>> attentions; ///< module path of the attention that it computes; empty: none
  std::vector<std::set<std::string>> written;    ///< names of the parameters that its results update
};

/// The module path of each launch; empty if no rule applies. `edges` are all edges of the entry point.
std::vector<std::string> modelPaths(const LaunchOrigins &origins, llvm::ArrayRef<ExplainedEdge> edges);

} // namespace attnc
