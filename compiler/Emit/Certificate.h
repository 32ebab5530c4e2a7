//===- Certificate.h - the memory certificate of an object --------------------------------------------------------===//
//
// A JSON text for the verifier (compiler/Verify): the location of each value of each entry point, and the sizes of
// slots. Sizes are texts over `symbols`, the entry point's dimensions and `workers`. A value is identified by the op
// that defines it: `step`, the op's number in the entry point (an op comes before those inside of it), and the number
// of its result. A loop-carried value has `carried` instead of `result`, an argument of the entry point only
// `argument`; both occur in `copies` alone, as the location of a carried value is that of the loop's result.
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
// A location is one of
//
//   slot n       in the arena, or in the slot `within`: after the slot `behind`, or else at the start
//   caller n     the caller's buffer for result n
//   state n      the entry point's argument n
//   updated n    the parameter that step n, a model.set, sets
//   element n    the element of its list that step n, a model.with_element, writes
//
// A copy is made before the op of step `before`. It reads the location `from`, or else that of its value. `all_pairs`
// are the results and the scratch that grow as queries times keys: {"kernel": ..., "bytes": ...}.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// `module` is the fingerprint of the recorded module (Record.h).
std::string certificateText(const Program &program, llvm::StringRef module);

} // namespace attnc
