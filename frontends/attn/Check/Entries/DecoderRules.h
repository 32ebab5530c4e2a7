//===- DecoderRules.h - signatures that `decode` requires of its functions ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

// `export write = decode(step, with: choice, at_most: n, stop: s)` derives a decoding loop. It calls the entry point
// `step`, which computes the logits of the next position, and the sampler `choice`, which chooses a token for each row
// of the batch, or the beams of a beam search. Decoders calls these functions on the checked entry points. Vocab is the
// number of tokens.

/// True if a decoding loop can call the entry point `step`, which `incremental` derives along the dimension
/// `step.along`. One argument must be the tokens, i32[batch, along] with a dynamic batch, and no other argument may
/// have the dimension `along`. The only result must be the logits: f32[batch, along, vocab], or f32[batch, vocab] of
/// the last position. Reports an error at `range` and returns false for others.
bool isDecodable(Reporter &reporter, const typed::Entry &step, SourceRange range);

/// True if the entry point is a sampler that chooses a token for each row of logits: its first argument is f32[batch,
/// vocab], both dimensions dynamic, its only result is i32[batch], and further arguments satisfy hasSizesOfCall.
/// Reports an error at `range`, or at an invalid further argument, and returns false for others.
bool isChoice(Reporter &reporter, const typed::Entry &entry, SourceRange range);

/// Returns the constant n > 0, the number of beams of each row, if the entry point is a sampler that chooses the beams
/// of a beam search. Its first arguments are scores f32[batch, n], flags of ended beams bool[batch, n] and logits
/// f32[batch, n, vocab]; its results are new scores f32[batch, n], the parents i32[batch, n] and the next tokens
/// i32[batch, n]. batch and vocab are dynamic. Further arguments are not checked. Null, without an error, for other
/// functions.
std::optional<int64_t> beamsOf(const typed::Entry &entry);

/// True if each size of the arguments of `choice` from number `from` on is a constant, or the first or the last size of
/// the type `logits`. Reports an error at the argument and returns false for others.
bool hasSizesOfCall(Reporter &reporter, const typed::Entry &choice, size_t from, const typed::Type &logits);

/// True if two conditions hold. `most`, the value of the argument `atMost`, is within the bound of the dimension
/// `step.along`, if it has one. `last`, the value of the argument `stop`, is below the size of the vocabulary, if that
/// is constant; both are null without `stop:`. Reports a violation at the argument and returns false. Requires
/// isDecodable(step).
bool hasTokens(Reporter &reporter, const typed::Entry &step, int64_t most, const ast::Argument &atMost,
               std::optional<int64_t> last, const ast::Argument *stop);

} // namespace attnc::check
