//===- Walk.h - traversal of an AST -------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/AST.h"

#include <functional>

namespace attnc {

/// Callbacks of a walk, each called on all nodes of its kind. A node precedes the nodes in it. The order is not that of
/// the source: items and members are grouped by kind, and the body of a scan follows its operands. A null callback is
/// not called.
struct Visitor {
  std::function<void(const ast::Expr &)> expression = nullptr;
  std::function<void(const ast::Block &)> block = nullptr;
  std::function<void(const ast::TensorType &)> type = nullptr;
  std::function<void(const ast::Parameter &)> parameter = nullptr;
};

/// Visit a file, an expression or a block and all nodes in it, including bodies of scans, types, and the expressions of
/// their sizes and bounds. The AST must be free of syntax errors (AST.h).
void walk(const ast::File &file, const Visitor &visitor);
void walk(const ast::Expr &expr, const Visitor &visitor);
void walk(const ast::Block &block, const Visitor &visitor);

/// Returns the direct subexpressions of an expression in the order of the members of its AST node. Null members are
/// omitted. Bounds of indices are included; the statements of a scan are not.
std::vector<const ast::Expr *> operandsOf(const ast::Expr &expr);

} // namespace attnc
