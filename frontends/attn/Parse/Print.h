//===- Print.h - printer of the AST as source ---------------------------------------------------------------------===//
//
// Prints an AST without ErrorExprs as source in canonical form: one item, member, statement or entry of `attend` a
// line, two spaces a level, parentheses by precedence, `///` comments alone, items grouped by kind as in ast::File.
// Parsing the output yields the same AST except for source ranges. `--emit=parse` prints a file.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

namespace attnc {

std::string print(const ast::File &file);
std::string print(const ast::Expr &expr);
std::string print(const ast::TensorType &type);

} // namespace attnc
