//===- Certificate.h - what an object promises of its memory ------------------------------------------------------===//
//
// A text in JSON, for checkers (compiler/Verify): where in memory each value of each entry point is, and how large the
// parts are. Sizes are texts over `symbols`, the entry point's dimensions and `workers`. Values are named by the op
// that makes them: `step`, its number among the ops of the entry point, an op in front of those inside of it, and the
// number of its result; what a loop carries is where the loop's result is.
//
//   {"compiler": "0.1.0 (LLVM 22.1.8)", "module": "5d0c...", "entries": [{
//      "name": "logits", "symbols": ["batch", "seq", "workers"], "arena_bytes": "8192*seq", "alignment": 64,
//      "slots":   [{"bytes": "8192*seq"}, {"bytes": "4096*seq", "within": 0}, {"bytes": "1024*seq", "within": 0,
//                   "behind": 1}],
//      "values":  [{"step": 4, "result": 0, "slot": 1}, {"step": 9, "result": 0, "caller": 0}],
//      "copies":  [{"before": 8, "step": 4, "result": 0, "to": {"slot": 2}}],
//      "scratch": [{"step": 9, "slot": 2, "bytes": "1024*seq"}],
//      "all_pairs": []}]}
//
// A place is one of
//
//   slot n       of the arena, or of the slot `within`: behind the slot `behind`, or where that begins
//   caller n     the caller's buffer for result n
//   state n      the entry point's argument n
//   updated n    the parameter that the step n, a model.set, sets
//   element n    the place in its list that the step n, a model.with_element, writes
//
// What a loop carries is where the loop's result is. A copy moves what lies at `from`, where it says so.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// `module` is the fingerprint of the recorded module (Record.h).
std::string certificateText(const Program &program, llvm::StringRef module);

} // namespace attnc
