//===- Override.h - overrides of compiler choices, and strategy files ---------------------------------------------===//
//
// An override sets one choice about a kernel, a source location or the model: WHAT.KEY = VALUE. A strategy is a file
// with one override a line; `#` begins a comment:
//
//   --override logits_attend_0.tile_kv=128
//   --strategy unfused.strategy               model.attention-fused = no        # scores are tensors
//                                             gemm.mr = 6                       # of all gemm kernels
//                                             logits_gemm_1.emitter = halide
//                                             gpt.attn:41:9.fusion = none
//
// Strategy.h lists the keys and values, and Codegen/Schedule/ScheduleKeys.h those of schedules with their ranges.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

struct Override {
  std::string what, key, value;
  std::string origin = {}; ///< "unfused.strategy:2" for a line of a file; empty for the command line
  bool operator==(const Override &) const = default;
};

/// Parses "what.key=value", an error if a part is missing; textOf() is the inverse.
llvm::Expected<Override> parseOverride(llvm::StringRef text);
std::string textOf(const Override &setting);
/// "origin: message"; without an origin, the message alone.
std::string withOrigin(const std::string &origin, const std::string &message);
/// Parses the text of a strategy file. Origins and errors name `path` and the line, unless `path` is empty.
llvm::Expected<std::vector<Override>> parseStrategy(llvm::StringRef path, llvm::StringRef text);

} // namespace attnc
