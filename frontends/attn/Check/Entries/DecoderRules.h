//===- DecoderRules.h - signatures that `decode` requires of its functions ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// True if the inputs of an entry point are tokens, and its result the logits of the next token. Reports others at
/// `range`.
bool isDecodable(Reporter &reporter, const typed::Entry &step, SourceRange range);

/// True if the function chooses a token for each row of logits. Reports others.
bool isChoice(Reporter &reporter, const typed::Entry &entry, SourceRange range);

/// Returns the beams of each row if the function chooses the beams of a search: from scores, flags of ended beams and
/// logits it computes new scores, the parent beams and their next tokens. Null for other functions.
std::optional<int64_t> beamsOf(const typed::Entry &entry);

/// True if the sizes of the arguments from number `from` on are constants or sizes of the logits. Reports others.
bool hasSizesOfCall(Reporter &reporter, const typed::Entry &choice, size_t from, const typed::Type &logits);

/// True if the cache has capacity for `most` tokens, and `last` is a token. Reports the violation.
bool hasTokens(Reporter &reporter, const typed::Entry &step, int64_t most, const ast::Argument &atMost,
               std::optional<int64_t> last, const ast::Argument *stop);

} // namespace attnc::check
