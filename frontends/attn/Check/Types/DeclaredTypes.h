//===- DeclaredTypes.h - declared tensor types --------------------------------------------------------------------===//
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
  /// Converts a value to the declared type of a result or a `let`.
  Value conform(const Value &value, const ast::TensorType &declared, SourceRange range, Scope &scope, const char *what);
  /// Introduces a dimension for each new name in the type of an entry point's parameter.
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

/// Warns of a dimension whose only name resembles another name: probably a misspelling.
void warnNearMiss(Reporter &reporter, const ast::FunctionDecl &decl, const Scope &scope);

} // namespace attnc::check
