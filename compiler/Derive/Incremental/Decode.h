//===- Decode.h - derivation of the decoding loop -----------------------------------------------------------------===//
//
// Generates an entry point that generates text, from a sampler and the entry points of an incremental function
// (Incremental.h). The sampler is a function with `model.decode`, which chooses a token from the logits of a position:
//
//   write(prompt: i32[batch, seq], prompt_length: i32[batch], other arguments..., seed)
//     -> (tokens: i32[batch, at_most], length: i32[batch])
//
//   given  = next_begin(other arguments)
//   caches = next_prefill(prompt, 0, count: prompt_length - 1)        the positions before the last one of each row
//   token  = the last token of the prompt
//   for at_most decoding steps, or until all rows have ended
//     logits, caches = next(token, position)
//     token          = sampler(logits, seed, step)                    step: the number of the decoding step
//     a row ends when the sampler chooses the token `stop`
//
// Row b of the result has length[b] tokens, those before `stop`; the elements after them are `stop`, or 0 if the
// sampler has no `stop`. If prompt_length[b] is not in 1 .. seq, the call sets a status. All these functions are
// inlined, and the caches are in the arena. The argument `seed` exists if the sampler draws random numbers. A beam
// search (BeamSearch.h) has n rows for each row of the prompt, and its sampler selects among all continuations of these
// beams.
//
// Only the caches of prefill's results are used; dead-code elimination removes the computation of the others. Prefill
// also computes positions after the end of a row's prompt; the row's tokens overwrite these positions before they are
// read. A ring cache has no room for them, so next_prefill then has the argument `count`.
//
// A resumed loop is the same loop, whose states are arguments (ResumedNames.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"
#include "compiler/Derive/Incremental/ResumedNames.h"

namespace attnc {

/// Replaces `function`, a sampler with model.decode, by the entry point, which gets its name. The field `of` of
/// model.decode names `next`; `names` are those that deriveIncremental returned for it. Fails with an error if names of
/// arguments collide or the size of a state is not a sum of products of dimensions (DecodeEntry::create), or if an
/// argument of `next` cannot be repeated for beams.
mlir::LogicalResult deriveDecode(mlir::func::FuncOp function, const IncrementalNames &names);

/// Adds a copy of the sampler `writer`, from which deriveDecode makes a resumed loop. Returns false, and adds nothing,
/// if there is no such sampler, or if it is a beam search.
bool addResumedSampler(mlir::ModuleOp module, llvm::StringRef writer);

/// Lets the states of the resumed loop of `writer` be truncated by at least `positions`.
void allowTruncation(mlir::ModuleOp module, llvm::StringRef writer, int64_t positions);
/// Adds a copy of the sampler `writer`, which has a resumed loop, from which deriveDecode makes the entry point that
/// verifies drafted tokens. The entry point computes the logits of all positions by the function of which `next` is an
/// incremental version, or, if that function returns the logits of the last position, by an entry point that has the
/// same arguments and returns those of all. Fails with an error if there is none.
mlir::LogicalResult addVerification(mlir::ModuleOp module, llvm::StringRef writer);

/// Replaces each model.call in the module by a copy of the body of the entry point that it calls, which deriveDecode
/// has created. Fails with an error if the callee is no entry point, has another number of results, or is a sampler
/// that still has model.decode, and at a call without one of the callee's arguments.
mlir::LogicalResult inlineDecoderCalls(mlir::ModuleOp module);

} // namespace attnc
