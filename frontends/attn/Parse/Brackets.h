//===- Brackets.h - which bracket belongs with which ------------------------------------------------------------===//
//
// Brackets are paired before parsing. The parser then looks behind a pair in one step (is `(a, b)` followed by `=>`?)
// and leaves a construct with an error in it at its end.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// Sets `partner` of every bracket that has one, reports the others, and sets `firstUnbalanced`.
void pairBrackets(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics);

} // namespace attnc
