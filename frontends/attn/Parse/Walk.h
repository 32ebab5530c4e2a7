//===- Walk.h - every node of a tree ---------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

#include <functional>

namespace attnc {

/// What a walk calls, a node before the nodes in it; those that are empty are left out.
struct Visitor {
  std::function<void(const ast::Expr &)> expression = nullptr;
  std::function<void(const ast::Block &)> block = nullptr;
  std::function<void(const ast::TensorType &)> type = nullptr;
  std::function<void(const ast::Parameter &)> parameter = nullptr;
};

void walk(const ast::File &file, const Visitor &visitor);
void walk(const ast::Expr &expr, const Visitor &visitor);
void walk(const ast::Block &block, const Visitor &visitor);

/// The expressions that an expression is directly made of, in the order of the AST; not those of a scan's body.
std::vector<const ast::Expr *> operandsOf(const ast::Expr &expr);

} // namespace attnc
