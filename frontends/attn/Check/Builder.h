//===- Builder.h - builder of typed expressions -------------------------------------------------------------------===//
//
// Creates the nodes of a Program (Typed.h), and records for each expression its free variables and its depth. An
// expression is *open* if it depends on indices (or on the `w` of a `weight: w => ...`) that an enclosing expression
// binds, and *closed* otherwise. While the body of index notation is checked, its expressions may be *rows*: open
// expressions with dimensions, such as q[b, i] of a tensor q with three dimensions. Typed.h has no rows; Elements.h
// rewrites them to scalars.
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

/// The free variables of an open expression: indices, by their number in the Program, and locals that are scalars in a
/// body (the `w` of a weight). `scalars` maps such a local to the numbers of the indices that its value depends on.
struct Free {
  std::set<unsigned> indices;
  std::map<const typed::Local *, std::set<unsigned>> scalars;
  /// True for a closed expression.
  bool empty() const { return indices.empty() && scalars.empty(); }
  /// Adds all free variables of `other`.
  void add(const Free &other);
  /// Returns the indices, including those of the scalars.
  std::set<unsigned> allIndices() const;
};
using FreeRef = std::shared_ptr<const Free>;

/// Factory of the nodes of a Program, which owns them. Functions that return an ExprRef create an expression with the
/// source range `range`; some return the operand if it already equals the result. They check and report nothing: the
/// caller has checked that operands have valid types.
class Builder {
public:
  explicit Builder(typed::Program &program) : program(program), nothing(std::make_shared<Free>()) {}

  /// Adds an expression to the program. Its operands were created by this builder.
  typed::ExprRef make(typed::Expr::Node node, typed::Type type, SourceRange range);

  /// Return a scalar Constant: `real` of F32, `integer` of `element`, which is not F32.
  typed::ExprRef real(double value, SourceRange range);
  typed::ExprRef integer(int64_t value, typed::Element element, SourceRange range);
  /// Returns a size as a scalar of element type Index: a Constant if the size is constant, otherwise a DimValue.
  typed::ExprRef size(const Dim &dim, SourceRange range);
  /// Converts the operand to the element type `element`. Returns the operand if it has this type, a converted Constant
  /// for a Constant, and otherwise a Cast. Conversions to Bool, and of F32 to I32 or Index, are never folded.
  typed::ExprRef cast(typed::ExprRef operand, typed::Element element);
  /// Creates an Elementwise. Requires that the shapes of the operands can be broadcast; the result has the broadcast
  /// shape. Its element type is Bool for a comparison, otherwise that of the last operand.
  typed::ExprRef elementwise(typed::Op op, std::vector<typed::ExprRef> operands, SourceRange range);
  /// Create a LocalRef, with the type of the local, and an IndexRef.
  typed::ExprRef reference(const typed::Local *local, SourceRange range);
  typed::ExprRef reference(typed::Index *index, SourceRange range);
  /// Creates a Permute; returns the source if the permutation is the identity.
  typed::ExprRef permute(typed::ExprRef source, std::vector<unsigned> permutation, SourceRange range);
  /// Creates a Reshape; returns the source if it has the shape already. Returns null if the dimensions of the source
  /// and of `shape` cannot be grouped into equal products (typed::Reshape::Group).
  typed::ExprRef reshape(typed::ExprRef source, Shape shape, SourceRange range);
  /// Creates an IndexReduction. A body with dimensions, a row, is reduced element by element, so the result has the
  /// shape of the body. `filter` may be null.
  typed::ExprRef reduction(typed::Combiner combiner, std::vector<typed::Index *> indices, typed::ExprRef filter,
                           typed::ExprRef body, SourceRange range);
  /// Returns an AxisReduction along `axes`, which are sorted; the source if there are none.
  typed::ExprRef reduceAxes(typed::Combiner combiner, typed::ExprRef source, std::vector<unsigned> axes,
                            SourceRange range);

  /// Returns a new local, which the program owns; it is closed unless makeOpen follows.
  typed::Local *newLocal(std::string name, typed::Type type, SourceRange range);
  /// Returns a new index, which the program owns. Its extent is not yet set (0).
  typed::Index *newIndex(std::string name, SourceRange range);
  /// Return the number of an index, its place in Program::indices, and the index with a number.
  unsigned numberOf(const typed::Index *index) const { return indexNumbers.at(index); }
  typed::Index *indexAt(unsigned number) { return &program.indices[number]; }

  /// Returns the free variables of an expression of this builder.
  const Free &freeOf(typed::ExprRef expr) const { return *infos.at(expr).free; }
  bool isOpen(typed::ExprRef expr) const { return !freeOf(expr).empty(); }

  /// Sets the free variables of the LocalRefs to `local` that are created afterwards. LocalRefs to other locals are
  /// closed.
  void makeOpen(const typed::Local *local, Free free) { openLocals[local] = std::make_shared<Free>(std::move(free)); }

  /// True if the program reaches a limit of later phases: the number of expressions, or the depth of an expression.
  bool isTooLarge() const { return program.exprs.size() >= maximumNodes; }
  bool isTooDeep() const { return deepest >= maximumDepth; }

  /// Returns the first expression created since the last call of this function whose shape is too large for
  /// canHaveShape (Dim.h); null if there is none.
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

/// Returns the broadcast of two shapes: trailing dimensions align, and the two sizes of each pair are equal or one of
/// them is the constant 1. Null for other shapes.
std::optional<Shape> broadcast(const Shape &a, const Shape &b);

/// Calls `visit` on each direct operand of an expression, in order. The formulas of an Attend are not among its
/// operands.
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
  else if (auto *node = expr.as<Variable>())
    visit(node->source);
  else if (auto *node = expr.as<Gradient>())
    visit(node->value), visit(node->variable);
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
