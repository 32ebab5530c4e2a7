//===- Brackets.h - matching of brackets --------------------------------------------------------------------------===//
//
// Brackets are matched before parsing. The parser then skips a bracketed range in one step (is `(a, b)` followed by
// `=>`?), and after an error continues after the construct.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// Sets the `partner` of every matched bracket, reports the others, and sets `firstUnbalanced`.
void pairBrackets(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics);

} // namespace attnc
