//===- Print.h - printer of the AST as source ---------------------------------------------------------------------===//
//
// Prints an AST as a model file in canonical form: an element a line, two spaces a level, only necessary parentheses.
// Parsing the output yields the same AST. `--emit=parse` prints it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

namespace attnc {

std::string print(const ast::File &file);
std::string print(const ast::Expr &expr);
std::string print(const ast::TensorType &type);

} // namespace attnc
