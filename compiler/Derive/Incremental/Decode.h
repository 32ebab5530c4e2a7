//===- Decode.h - the decoding loop -------------------------------------------------------------------------------===//
//
// Generates an entry point that writes tokens, from a sampler and the entry points of an incremental function
// (Incremental.h):
//
//   write(prompt: i32[batch, seq], prompt_length: i32[batch], other arguments..., seed) -> (tokens, length)
//
//   given  = next_begin(other arguments)
//   caches = next_prefill(prompt, 0, count: prompt_length - 1)        the positions before the last one of each row
//   token  = the last token of the prompt
//   for at_most decoding steps, or until all rows have ended
//     logits, caches = next(token, position)
//     token          = sampler(logits, seed, step)                    step: the number of the decoding step
//     a row ends at `stop`; the tokens before it are the result
//
// All these functions are inlined, and the caches are in the arena. A beam search has n rows for each row of the
// prompt, and its sampler selects among all continuations of these beams.
//
// Results of prefill other than caches are dead and not computed. Prefill also computes positions after the end of a
// row's prompt; the row's tokens overwrite them before they are read. A ring cache has no room for such positions, so
// prefill then has the argument `count`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"

namespace attnc {

/// Replaces `function`, a sampler with model.decode, by the entry point. `names` are the names that deriveIncremental
/// returned: of dimensions and arguments of `next` and its companions.
mlir::LogicalResult deriveDecode(mlir::func::FuncOp function, const IncrementalNames &names);

/// Replaces each model.call by the body of the entry point that it calls, which deriveDecode has created. Reports a
/// call of another function, and a call without one of its arguments.
mlir::LogicalResult inlineDecoderCalls(mlir::ModuleOp module);

} // namespace attnc
