//===- Override.h - overrides of compiler choices, and the parser of strategy files -------------------------------===//
//
// An override sets one choice of the compiler. Its text is WHAT.KEY=VALUE, where WHAT is its scope: a kernel, a kind of
// kernels, a source location or the whole model. A strategy file has one override on each line; `#` begins a comment,
// and empty lines are ignored:
//
//   --override logits_attend_0.tile_kv=128
//   --strategy unfused.strategy               model.attention-fused = no        # scores are tensors
//                                             gemm.mr = 6                       # of all gemm kernels
//                                             logits_gemm_1.emitter = halide
//                                             gpt.attn:41:9.fusion = none
//
// The functions below parse and print; they accept any scope, key and value. Strategy.h lists the valid ones and checks
// them; Codegen/Schedule/ScheduleKeys.h has the keys of schedules with their ranges.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

struct Override {
  std::string what, key, value; ///< `what` is the scope: "logits_gemm_1", "gemm", "gpt.attn:41:9" or "model"
  std::string origin = {};      ///< prefix of messages about it: "unfused.strategy:2" for line 2 of a file, "FILE.mlir"
                                ///< for a transform script; empty for the command line and a tuning database
  bool operator==(const Override &) const = default;
};

/// Parses "what.key=value" without an origin. The key begins after the last `.` before the first `=`; spaces around the
/// three parts are dropped. An error if a part is empty.
llvm::Expected<Override> parseOverride(llvm::StringRef text);
/// "what.key=value", without the origin.
std::string textOf(const Override &setting);
/// "origin: message"; without an origin, the message alone.
std::string withOrigin(const std::string &origin, const std::string &message);
/// Parses `text`, the content of a strategy file, into its overrides in order. Stops at the first invalid line with an
/// error. The origins and the error begin with "path:line"; if `path` is empty, they do not name a place.
llvm::Expected<std::vector<Override>> parseStrategy(llvm::StringRef path, llvm::StringRef text);

} // namespace attnc
