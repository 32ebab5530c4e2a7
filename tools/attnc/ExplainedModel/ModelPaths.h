//===- ModelPaths.h - the place of each launch in the model -------------------------------------------------------===//
//
// The module path of a launch, for people: "blocks.mix.qkv" in place of the symbol "logits_gemm_0". A list has no index
// in it, for a loop over the list runs the launch once for each module. The first rule that gives a path applies:
//
//   1. the module of an attention that the kernel computes (AttentionName.h), and the modules of the parameters that
//      the launch reads:          blocks.mix.qkv.weight, blocks.mix.qkv.bias         blocks.mix.qkv
//                                 blocks.mix.out.bias, blocks.norm2.gain             blocks.mix.out + blocks.norm2
//   2. the modules of the parameters that its result is stored in, by a step of training
//   3. the path of the launches that read its result, where all of those with a path have the same one
//   4. the result of the entry point that it computes
//
// A parameter of the model itself, which is in no module, stands for itself.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include <set>

namespace attnc {

/// The parameters that launches of an entry point read and write, by number of the launch, and the attention of each.
struct LaunchOrigins {
  std::vector<std::set<std::string>> attentions; ///< module paths
  std::vector<std::set<std::string>> written;    ///< names of parameters
};

/// The path of each launch; empty where no rule gives one. `edges` are those of the entry point.
std::vector<std::string> modelPaths(const LaunchOrigins &origins, llvm::ArrayRef<ExplainedEdge> edges);

} // namespace attnc
