//===- Certificate.h - writer of the memory certificate of an object ----------------------------------------------===//
//
// The certificate is a JSON text for the verifier (compiler/Verify). It has the location of each tensor that an op of
// an entry point computes, views and reads of parameters (model.get) excepted, and the sizes of slots. Sizes are texts
// over `symbols`: the entry point's dimensions and `workers`. A value is identified by the op that defines it: `step`
// is the number of the op in the entry point (the ops inside of an op follow it), and `result` the number of the op's
// result. A loop-carried value has `carried` instead of `result`, and an argument of the entry point has only
// `argument`. Both occur in `copies` alone: the location of a carried value is that of the loop's result, and
// parameters and inputs have none.
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
//   slot n       slot number n of `slots`
//   caller n     the caller's buffer for result n
//   state n      the buffer of the entry point's argument n, a state that the call updates in place
//   updated n    the parameter that step n, a model.set, sets
//   element n    the element of its list that step n, a model.with_element, writes
//
// A slot lies in the arena, or, with `within`, in that slot. It begins after the slot `behind`, or, without it, at the
// start. A copy is made before the op of step `before`. It reads the location `from`, or, without it, the location of
// the value. `scratch` has the slots of the launch at `step`: of the scratch that all chunks share, and of that of all
// workers together. `all_pairs` lists the scratch, and the results in slots and in elements of lists, that grow as
// queries times keys, each with the keys `kernel` and `bytes`. `alignment` is that of arena and slots, in bytes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// The certificate of all entry points of `program`, which the phase plan has planned and certified. `module` is the
/// fingerprint of the recorded module (Record.h).
std::string certificateText(const Program &program, llvm::StringRef module);

} // namespace attnc
