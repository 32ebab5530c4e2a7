//===- Print.h - the tree as source ------------------------------------------------------------------------------===//
//
// Prints a tree as a model file in one canonical form: an element a line, two spaces a level, no parentheses but those
// that the tree needs. Parsing what was printed gives the same tree. This is `--emit=parse`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

namespace attnc {

std::string print(const ast::File &file);
std::string print(const ast::Expr &expr);
std::string print(const ast::TensorType &type);

} // namespace attnc
