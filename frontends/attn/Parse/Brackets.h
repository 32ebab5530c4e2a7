//===- Brackets.h - matching of brackets --------------------------------------------------------------------------===//
//
// Brackets are matched before parsing. The parser then skips a bracketed range in one step (is `(a, b)` followed by
// `=>`?), and after an error continues after the construct.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// Sets the `partner` of both tokens of each matched pair, reports every unmatched bracket, and sets `firstUnbalanced`,
/// which stays `none` if there is no unmatched bracket.
void pairBrackets(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics);

} // namespace attnc
