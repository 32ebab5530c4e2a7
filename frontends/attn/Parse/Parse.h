//===- Parse.h - from text to the tree -------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Parse/AST.h"

namespace attnc {

/// Parses a file. Every syntax error is reported, and parsing goes on behind it; the tree is complete where
/// `diagnostics` has no errors of this file.
ast::File parseFile(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

/// How deeply expressions and blocks nest, at most: walks over a tree may recurse.
constexpr unsigned maximumNesting = 256;
/// How many operators of a chain such as `a + b + c` count as one level: a walk goes down its left side step by step.
constexpr unsigned chainedPerLevel = 16;

} // namespace attnc
