//===- DeclaredTypes.h - declared tensor types --------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/Names/Names.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Evaluates declared types, whose sizes are expressions of numbers and dimensions in scope. `what` begins messages:
/// "the dimension".
class DeclaredTypes {
public:
  DeclaredTypes(Reporter &reporter, Builder &build, DimensionBounds &bounds, const Origins &origins, Names &names,
                Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), bounds(bounds), origins(origins), names(names), conversions(conversions),
        expressions(expressions) {}

  /// Return the element type, the shape, and one size; null, with an error, if it is not supported, unknown, negative
  /// or too large. In a shape, `..` stands for the dimensions that a parameter of the function has bound.
  std::optional<typed::Element> elementOf(const ast::TensorType &type);
  std::optional<Shape> evaluateShape(const ast::TensorType &type, Scope &scope, const char *what);
  std::optional<Dim> evaluateDim(const ast::Expr &expr, Scope &scope, const char *what);
  /// Returns whether `actual` is proved to be within the bound of its dimension, `n <= context`, if it has one; reports
  /// another size at `range`.
  bool checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, Scope &scope);
  /// Converts a value to the declared type of a result or a `let`. An ErrorValue, with an error, if it has another
  /// element type or shape.
  Value conform(const Value &value, const ast::TensorType &declared, SourceRange range, Scope &scope, const char *what);
  /// Adds to `entry`, and binds in `scope`, a dynamic dimension for each name in the type of a parameter that is not
  /// known, with its bound. `..`, in a function that is checked alone, becomes one assumed dimension.
  void introduceDims(const ast::TensorType &type, Scope &scope, typed::Entry &entry);

private:
  Reporter &reporter;
  Builder &build;
  DimensionBounds &bounds;
  const Origins &origins;
  Names &names;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

/// Warns of a dimension that occurs once in a function's signature, and whose name differs in one letter from that of
/// another dimension there or of a number of the module: probably a misspelling. `scope` is the function's scope.
void warnNearMiss(Reporter &reporter, const ast::FunctionDecl &decl, const Scope &scope);

} // namespace attnc::check
