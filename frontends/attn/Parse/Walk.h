//===- Walk.h - traversal of an AST -------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

#include <functional>

namespace attnc {

/// Callbacks of a walk, called on each node of a kind, in preorder. Empty callbacks are not called.
struct Visitor {
  std::function<void(const ast::Expr &)> expression = nullptr;
  std::function<void(const ast::Block &)> block = nullptr;
  std::function<void(const ast::TensorType &)> type = nullptr;
  std::function<void(const ast::Parameter &)> parameter = nullptr;
};

/// Visit a file, an expression or a block and everything in it, including bodies of scans and sizes in types.
void walk(const ast::File &file, const Visitor &visitor);
void walk(const ast::Expr &expr, const Visitor &visitor);
void walk(const ast::Block &block, const Visitor &visitor);

/// Returns the direct subexpressions of an expression in the order of its fields, without omitted ones. Bounds of
/// indices are among them, the statements of a scan are not.
std::vector<const ast::Expr *> operandsOf(const ast::Expr &expr);

} // namespace attnc
