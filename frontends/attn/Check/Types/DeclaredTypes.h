//===- DeclaredTypes.h - tensor types as the program declares them ------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Names/Names.h"
#include "frontends/attn/Check/Ranges.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

class DeclaredTypes {
public:
  DeclaredTypes(Reporter &reporter, Builder &build, Ranges &ranges, const Origins &origins, Names &names,
                Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), ranges(ranges), origins(origins), names(names), conversions(conversions),
        expressions(expressions) {}

  std::optional<typed::Element> elementOf(const ast::TensorType &type);
  std::optional<Shape> evaluateShape(const ast::TensorType &type, Scope &scope, const char *what);
  std::optional<Dim> evaluateDim(const ast::Expr &expr, Scope &scope, const char *what);
  /// Reports a size above the bound of its dimension, `n <= context`.
  bool checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, Scope &scope);
  /// A value as the type that a result or a `let` declares for it.
  Value conform(const Value &value, const ast::TensorType &declared, SourceRange range, Scope &scope, const char *what);
  /// Gives each new name in a type of an entry point's parameter a dimension of its own.
  void introduceDims(const ast::TensorType &type, Scope &scope, typed::Entry &entry);

private:
  Reporter &reporter;
  Builder &build;
  Ranges &ranges;
  const Origins &origins;
  Names &names;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

/// Warns of a dimension that is named once and almost as another: probably a misspelling.
void warnNearMiss(Reporter &reporter, const ast::FunctionDecl &decl, const Scope &scope);

} // namespace attnc::check
