//===- Parse.h - parser: a model file to the AST ------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Parse/AST.h"

namespace attnc {

/// Parses a file of `sources`: runs the lexer, then the parser. After a syntax error the parser continues at the next
/// statement, member or item. It can therefore report several errors in one file, but none behind an unmatched bracket.
/// The AST is complete if no error of this file was reported to `diagnostics`.
ast::File parseFile(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

/// Limit of the nesting of expressions and blocks, which bounds the recursion of walks over the AST. Deeper nesting is
/// a TooDeep error.
constexpr unsigned maximumNesting = 256;
/// The number of operators in a chain such as `a + b + c` that count as one level of nesting, because a walk recurses
/// into the left operand of each.
constexpr unsigned chainedPerLevel = 16;

} // namespace attnc
