//===- Override.h - what a person wants otherwise -----------------------------------------------------------------===//
//
// An override says of something in a model what it should have: WHAT.KEY = VALUE. A strategy is a list of them, a file
// with one a line and `#` before comments:
//
//   --override logits_attend_0.tile_kv=128
//   --strategy held.strategy                  model.attention-fused = no        # scores are tensors
//                                             gemm.mr = 6                       # of all gemm kernels
//                                             logits_gemm_1.emitter = halide
//                                             gpt.attn:41:9.fusion = none
//
// What there is to say, and of what, is in Strategy.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

struct Override {
  std::string what, key, value;
  std::string origin = {}; ///< "held.strategy:2" of what a file says; empty of the command line
  bool operator==(const Override &) const = default;
};

/// "what.key=value".
llvm::Expected<Override> parseOverride(llvm::StringRef text);
std::string textOf(const Override &setting);
/// A message about an override, behind its origin.
std::string withOrigin(const std::string &origin, const std::string &message);
/// The overrides of a file's text; they and errors name `path` and the line, unless there is no path.
llvm::Expected<std::vector<Override>> parseStrategy(llvm::StringRef path, llvm::StringRef text);

} // namespace attnc
