//===- Print.h - printer of the AST as source ---------------------------------------------------------------------===//
//
// Prints an AST without ErrorExprs as source in canonical form. Each item, member, statement and entry of `attend` has
// its own line; a level is indented by two spaces. Parentheses are those that precedence requires. Items are grouped by
// kind, in the order of ast::File. `///` comments of declarations are printed, other comments are not part of an AST.
// If the output is parsed, the result is the same AST except for source ranges. `--emit=parse` prints a file.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

namespace attnc {

std::string print(const ast::File &file);
std::string print(const ast::Expr &expr);
std::string print(const ast::TensorType &type);

} // namespace attnc
