//===- Builder.h - builder of typed expressions -------------------------------------------------------------------===//
//
// Creates the nodes of a Program, and records for each expression its free variables and its depth. An expression is
// *open* if it depends on indices (or on the `w` of a weight) of the body around it, and *closed* otherwise. While a
// body is checked, its expressions may be rows: tensor nodes that are open. Elements.h rewrites rows to scalars; the
// finished program satisfies Typed.h.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace attnc::check {

/// The free variables of an open expression: indices by their number in the Program, and locals that are scalars of a
/// body. A scalar is one number for each tuple of the indices that it maps to.
struct Free {
  std::set<unsigned> indices;
  std::map<const typed::Local *, std::set<unsigned>> scalars;
  /// True for a closed expression.
  bool empty() const { return indices.empty() && scalars.empty(); }
  void add(const Free &other);
  /// Returns the indices, including those of the scalars.
  std::set<unsigned> allIndices() const;
};
using FreeRef = std::shared_ptr<const Free>;

/// Factory of the nodes of a Program, which owns them. Functions that return an ExprRef create an expression, or return
/// an equal one that exists. They check and report nothing: operands have valid types.
class Builder {
public:
  explicit Builder(typed::Program &program) : program(program), nothing(std::make_shared<Free>()) {}

  /// Adds an expression. Its operands were created by this builder.
  typed::ExprRef make(typed::Expr::Node node, typed::Type type, SourceRange range);

  /// Return a scalar Constant, of F32 and of `element`.
  typed::ExprRef real(double value, SourceRange range);
  typed::ExprRef integer(int64_t value, typed::Element element, SourceRange range);
  /// Returns a size as a scalar of element type Index: a Constant if the size is constant, otherwise a DimValue.
  typed::ExprRef size(const Dim &dim, SourceRange range);
  /// Returns the operand if it has the element type, a converted Constant or a Cast. Folds no conversion to Bool, nor
  /// of F32 to I32 or Index.
  typed::ExprRef cast(typed::ExprRef operand, typed::Element element);
  /// Requires that the shapes of the operands can be broadcast; the result has the broadcast shape. Its element type is
  /// Bool for a comparison, otherwise that of the last operand.
  typed::ExprRef elementwise(typed::Op op, std::vector<typed::ExprRef> operands, SourceRange range);
  typed::ExprRef reference(const typed::Local *local, SourceRange range);
  typed::ExprRef reference(typed::Index *index, SourceRange range);
  /// Returns the source if the permutation is the identity.
  typed::ExprRef permute(typed::ExprRef source, std::vector<unsigned> permutation, SourceRange range);
  /// Reshapes the source; null if its dimensions and those of `shape` cannot be grouped into equal products.
  typed::ExprRef reshape(typed::ExprRef source, Shape shape, SourceRange range);
  /// Returns an IndexReduction. A body with dimensions, a row, is reduced element by element. `filter` may be null.
  typed::ExprRef reduction(typed::Combiner combiner, std::vector<typed::Index *> indices, typed::ExprRef filter,
                           typed::ExprRef body, SourceRange range);
  /// Returns an AxisReduction along `axes`, which are sorted; the source if there are none.
  typed::ExprRef reduceAxes(typed::Combiner combiner, typed::ExprRef source, std::vector<unsigned> axes,
                            SourceRange range);

  typed::Local *newLocal(std::string name, typed::Type type, SourceRange range);
  /// Returns an index whose extent is not yet set (0).
  typed::Index *newIndex(std::string name, SourceRange range);
  /// An index has the number of its place in Program::indices.
  unsigned numberOf(const typed::Index *index) const { return indexNumbers.at(index); }
  typed::Index *indexAt(unsigned number) { return &program.indices[number]; }

  const Free &freeOf(typed::ExprRef expr) const { return *infos.at(expr).free; }
  bool isOpen(typed::ExprRef expr) const { return !freeOf(expr).empty(); }

  /// Gives references to `local` that are created from now on these free variables. Other locals are closed.
  void makeOpen(const typed::Local *local, Free free) { openLocals[local] = std::make_shared<Free>(std::move(free)); }

  /// True if the program exceeds the limits of later phases: in nodes, or in depth of nesting.
  bool isTooLarge() const { return program.exprs.size() >= maximumNodes; }
  bool isTooDeep() const { return deepest >= maximumDepth; }

  /// Returns the first expression created since the last call whose shape violates canHaveShape; null if there is none.
  typed::ExprRef takeOversized() { return std::exchange(oversized, nullptr); }

  static constexpr size_t maximumNodes = 200000;
  static constexpr unsigned maximumDepth = 500;

private:
  struct Info {
    FreeRef free;
    unsigned depth;
  };
  Info infoOf(const typed::Expr &expr) const;

  typed::Program &program;
  FreeRef nothing;
  std::unordered_map<typed::ExprRef, Info> infos;
  std::unordered_map<const typed::Index *, unsigned> indexNumbers;
  std::unordered_map<const typed::Local *, FreeRef> openLocals;
  unsigned deepest = 0;
  typed::ExprRef oversized = nullptr;
};

/// Returns the broadcast of two shapes: trailing dimensions align, and each pair is equal or has the literal 1 on one
/// side. Null for other shapes.
std::optional<Shape> broadcast(const Shape &a, const Shape &b);

/// Calls `visit` on each operand of a node. The formulas of an Attend are not among its operands.
template <class Visitor> void forEachOperand(const typed::Expr &expr, Visitor visit) {
  using namespace typed;
  if (auto *node = expr.as<Elementwise>())
    for (ExprRef operand : node->operands)
      visit(operand);
  else if (auto *node = expr.as<Cast>())
    visit(node->operand);
  else if (auto *node = expr.as<AxisReduction>())
    visit(node->source);
  else if (auto *node = expr.as<MatMul>())
    visit(node->a), visit(node->b);
  else if (auto *node = expr.as<Permute>())
    visit(node->source);
  else if (auto *node = expr.as<Reshape>())
    visit(node->source);
  else if (auto *node = expr.as<Slice>())
    visit(node->source);
  else if (auto *node = expr.as<Concat>())
    for (ExprRef part : node->parts)
      visit(part);
  else if (auto *node = expr.as<Fill>())
    visit(node->value);
  else if (auto *node = expr.as<Comprehension>())
    visit(node->body);
  else if (auto *node = expr.as<Subscript>()) {
    visit(node->base);
    for (ExprRef index : node->indices)
      visit(index);
  } else if (auto *node = expr.as<IndexReduction>()) {
    if (node->filter)
      visit(node->filter);
    visit(node->body);
  } else if (auto *node = expr.as<Draw>()) {
    visit(node->seed), visit(node->step);
    for (ExprRef index : node->element)
      visit(index);
  }
}

} // namespace attnc::check
