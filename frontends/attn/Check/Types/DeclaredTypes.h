//===- DeclaredTypes.h - declared tensor types --------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/Names/Names.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Evaluates declared tensor types, such as `f32[batch, 2 * n]`, whose sizes are expressions of numbers and dimensions
/// that `scope` has. `what` begins messages: "the dimension".
class DeclaredTypes {
public:
  DeclaredTypes(Reporter &reporter, Builder &build, DimensionBounds &bounds, const Origins &origins, Names &names,
                Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), bounds(bounds), origins(origins), names(names), conversions(conversions),
        expressions(expressions) {}

  /// Return the element type of a declared type, its shape, and the value of one size expression. Null, with an error,
  /// for an element type that is not supported, a name that is unknown, a value that is no size, a constant size below
  /// 0 or above 2^31 - 1, a tensor that is too large, and an unbound `..`. In a shape, `..` stands for the dimensions
  /// that a parameter of the function has bound to it.
  std::optional<typed::Element> elementOf(const ast::TensorType &type);
  std::optional<Shape> evaluateShape(const ast::TensorType &type, Scope &scope, const char *what);
  std::optional<Dim> evaluateDim(const ast::Expr &expr, Scope &scope, const char *what);
  /// Returns true if the size `actual` is proved to be within the bound of the declared dimension, `n <= context`, or
  /// if that has no bound. Otherwise reports an error at `range` and returns false.
  bool checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, Scope &scope);
  /// The same for all dimensions of a type, whose sizes are `shape`, with errors at the dimensions. True, without a
  /// check, if the numbers of dimensions differ.
  bool checkBounds(const ast::TensorType &type, const Shape &shape, Scope &scope);
  /// Converts a value, at `range`, to the declared type of a result or a `let`, and returns it as a TensorValue.
  /// Compile-time numbers adapt to the element type, and scalars of Index to i32. An ErrorValue, with an error, if it
  /// has another element type or shape or exceeds a bound, or if the type is invalid. `what` names the value.
  Value conform(const Value &value, const ast::TensorType &declared, SourceRange range, Scope &scope, const char *what);
  /// For the type of a parameter of an entry point: for each name in the dimensions that lookup in `scope` does not
  /// find, such as n in `2 * n`, adds a dynamic dimension without a bound to `entry` and to the DimensionBounds, and
  /// binds the name in `scope`. `..`, in a function that is checked alone (Entries::checkAlone), becomes one assumed
  /// dimension.
  void introduceDims(const ast::TensorType &type, Scope &scope, typed::Entry &entry);
  /// Applies the bounds of this type, whose dimensions have the sizes `shape`, to the dimensions of `entry` and to the
  /// DimensionBounds. A bound of a size a*n + b with a > 0 bounds n; the smallest of several bounds holds. Reports a
  /// bound that is no compile-time integer, one that is smaller than a constant size or than every size, and one of a
  /// size of another form.
  void declareBounds(const ast::TensorType &type, const Shape &shape, Scope &scope, typed::Entry &entry);

private:
  void setMaximum(const ast::Dimension &dimension, const Dim &size, int64_t bound, typed::Entry &entry);

  Reporter &reporter;
  Builder &build;
  DimensionBounds &bounds;
  const Origins &origins;
  Names &names;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

/// Warns of a dimension that occurs once in a function's signature (not counting sizes such as `2 * n`), and whose name
/// differs in one letter, not the first one, from the name of another dimension there, or of an integer member of the
/// module: probably a misspelling. Names of one or two letters, and names that differ in digits alone, are no
/// misspellings. `scope` is the function's scope, in which the dimensions are bound.
void warnNearMiss(Reporter &reporter, const ast::FunctionDecl &decl, const Scope &scope);

} // namespace attnc::check
