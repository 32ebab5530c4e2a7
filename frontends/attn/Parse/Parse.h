//===- Parse.h - parser: a model file to the AST ------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Parse/AST.h"

namespace attnc {

/// Parses a file. The parser recovers from each syntax error and reports all of them; the AST is complete if
/// `diagnostics` has no errors of this file.
ast::File parseFile(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

/// Limit of the nesting of expressions and blocks, because walks over the AST may recurse.
constexpr unsigned maximumNesting = 256;
/// The number of operators in a chain such as `a + b + c` that count as one level of nesting, because a walk recurses
/// into the left operand of each.
constexpr unsigned chainedPerLevel = 16;

} // namespace attnc
