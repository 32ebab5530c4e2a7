//===- Walk.h - traversal of an AST -------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

#include <functional>

namespace attnc {

/// Callbacks of a walk, called on a node before its children; empty ones are skipped.
struct Visitor {
  std::function<void(const ast::Expr &)> expression = nullptr;
  std::function<void(const ast::Block &)> block = nullptr;
  std::function<void(const ast::TensorType &)> type = nullptr;
  std::function<void(const ast::Parameter &)> parameter = nullptr;
};

void walk(const ast::File &file, const Visitor &visitor);
void walk(const ast::Expr &expr, const Visitor &visitor);
void walk(const ast::Block &block, const Visitor &visitor);

/// Returns the direct subexpressions of an expression in the order of the AST; not the body of a scan.
std::vector<const ast::Expr *> operandsOf(const ast::Expr &expr);

} // namespace attnc
