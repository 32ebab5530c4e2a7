//===- Decode.h - entry points that write tokens ------------------------------------------------------------------===//
//
// From a function that chooses tokens, and the entry points of an incremental function, makes
//
//   write(prompt: i32[batch, seq], prompt_length: i32[batch], other arguments..., seed) -> (tokens, length)
//
//   given  = next_begin(other arguments)
//   caches = next_prefill(prompt, 0, count: prompt_length - 1): the positions in front of the last of each row
//   token  = the prompt's last one
//   for at_most turns, until all rows have ended
//     logits, caches = next(token, position)
//     token          = choose(logits, seed, step: the number of the turn)
//     a row ends where it is `stop`; what it had before is its tokens
//
// with these functions inlined, the caches in the arena. What prefill computes besides caches is not used, and so is
// not computed. Positions of a prompt behind a row's length are computed and never read, for the row's own come to lie
// there; rings are told `count`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"

namespace attnc {

/// Replaces `function`, which has model.decode, by the entry point; `names` are those of what it is made of.
mlir::LogicalResult deriveDecode(mlir::func::FuncOp function, const IncrementalNames &names);

} // namespace attnc
