//===- Brackets.h - matching of brackets --------------------------------------------------------------------------===//
//
// Brackets `()`, `[]` and `{}` are matched between lexing and parsing. The parser can then skip a bracketed range in
// one step: to look ahead (is `(a, b)` followed by `=>`?), and after an error, to continue behind the construct.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// Sets Token::partner of both tokens of each matched pair, and reports unmatched brackets. Sets
/// TokenStream::firstUnbalanced to the first unmatched bracket; it stays `none` if all brackets match. `lex` calls this
/// once, on a stream whose tokens have no partners.
void pairBrackets(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics);

} // namespace attnc
