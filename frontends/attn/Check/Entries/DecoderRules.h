//===- DecoderRules.h - signatures that `decode` requires of its functions ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Are the inputs of an entry point tokens, and its results the logits of the next token? Reports others at `range`.
bool isDecodable(Reporter &reporter, const typed::Entry &step, SourceRange range);

/// Does the function choose a token for each row of logits? Reports others.
bool isChoice(Reporter &reporter, const typed::Entry &entry, SourceRange range);

/// The number of beams of a row where the function chooses the next beams of a search: from their scores, which of them
/// have ended, and their logits, it computes new scores, the beams that these continue, and their tokens.
std::optional<int64_t> beamsOf(const typed::Entry &entry);

/// Are the sizes of the arguments from number `from` on constants, or sizes of the logits? Reports others.
bool hasSizesOfCall(Reporter &reporter, const typed::Entry &choice, size_t from, const typed::Type &logits);

/// Is there room for `most` tokens, and is `last` one of them? Reports where not.
bool hasTokens(Reporter &reporter, const typed::Entry &step, int64_t most, const ast::Argument &atMost,
               std::optional<int64_t> last, const ast::Argument *stop);

} // namespace attnc::check
