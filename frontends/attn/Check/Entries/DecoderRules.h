//===- DecoderRules.h - signatures that `decode` requires of its functions ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// True if `decode` can call an entry point that `incremental` derives along `step.along`: exactly one dimension of its
/// arguments is `along`, in tokens i32[batch, along] with a dynamic batch, and its only result is the logits f32[batch,
/// along, vocab], or f32[batch, vocab] of the last position. Reports others at `range`.
bool isDecodable(Reporter &reporter, const typed::Entry &step, SourceRange range);

/// True if the function chooses a token for each row of logits, f32[batch, vocab] to i32[batch], where both dimensions
/// are dynamic and further arguments satisfy hasSizesOfCall. Reports others.
bool isChoice(Reporter &reporter, const typed::Entry &entry, SourceRange range);

/// Returns the constant n, the beams of each row, if the function chooses the beams of a search: from scores f32[batch,
/// n], flags of ended beams bool[batch, n] and logits f32[batch, n, vocab] it computes new scores f32[batch, n], the
/// parent beams i32[batch, n] and their next tokens i32[batch, n]. Null, without an error, for other functions.
std::optional<int64_t> beamsOf(const typed::Entry &entry);

/// True if the sizes of the arguments from number `from` on are constants or the first or last size of the logits.
/// Reports others.
bool hasSizesOfCall(Reporter &reporter, const typed::Entry &choice, size_t from, const typed::Type &logits);

/// True if `most`, the value of `at_most:`, is within the bound of `step.along`, and `last`, the value of `stop:`,
/// below the size of the vocabulary; each holds if there is no bound, no `stop:` or no constant size. Reports a
/// violation at the argument. Requires isDecodable(step).
bool hasTokens(Reporter &reporter, const typed::Entry &step, int64_t most, const ast::Argument &atMost,
               std::optional<int64_t> last, const ast::Argument *stop);

} // namespace attnc::check
