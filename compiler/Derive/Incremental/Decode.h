//===- Decode.h - the decoding loop -------------------------------------------------------------------------------===//
//
// From a sampler, and the entry points of an incremental function, generates
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
// with these functions inlined, and the caches in the arena. Results of prefill other than caches are dead and not
// computed. Positions after the end of a row's prompt are computed and then overwritten by its tokens before they are
// read; ring caches need `count` for that.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"

namespace attnc {

/// Replaces `function`, which has model.decode, by the entry point; `names` are those of the incremental function.
mlir::LogicalResult deriveDecode(mlir::func::FuncOp function, const IncrementalNames &names);

} // namespace attnc
