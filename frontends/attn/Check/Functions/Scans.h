//===- Scans.h - recurrences: `scan t over n backward until length carry (h = h0) { ... } -> (h[:, t], h)` --------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Names/Names.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of `scan`, a recurrence over time steps, which becomes a typed::Scan. `step` is the scope of the body of a
/// time step. `length` is the i32 tensor after `until`, the number of time steps of each row; null without it. Its
/// dimensions, the rows, are the first dimensions of all carried and stacked values. For a row that has ended, carried
/// values keep their last values, and stacked results are zeros. States of modules that the body assigns (StateValues)
/// have no rows: each time step assigns them.
class Scans {
public:
  Scans(typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets, Scopes &scopes,
        StateValues &states, Names &names, Conversions &conversions, DimensionBounds &bounds, IndexScopes &indexScopes,
        LoopNest &loopsAround, ExpressionChecker &expressions, BlockChecker &blocks)
      : program(program), reporter(reporter), build(build), lets(lets), scopes(scopes), states(states), names(names),
        conversions(conversions), bounds(bounds), indexScopes(indexScopes), loopsAround(loopsAround),
        expressions(expressions), blocks(blocks) {}

  /// Checks a scan, adds it to the current block and returns its results: one value, or a TupleValue. Returns an
  /// ErrorValue after an error, among them a scan without results, and a scan inside index notation.
  Value scan(const ast::ScanExpr &expr, Scope &scope);

private:
  /// Returns the number of time steps; null, with an error, if the expression is not a size, or is a negative one.
  std::optional<Dim> steps(const ast::Expr &over, Scope &scope);
  /// Returns the lengths of `until`; null, with an error, if the expression is not an i32 tensor.
  typed::ExprRef length(const ast::Expr &until, Scope &scope);
  /// Checks the body in the current block; false, with an error, if it contains a `return`. If the body ends with a
  /// value, which nothing uses, reports an error but returns true.
  bool body(const ast::ScanExpr &expr, Scope &step);
  /// Declares the carried values as variables of the time step; false, with an error, if an initial value is invalid.
  bool carry(const ast::ScanExpr &expr, typed::Scan &scan, Scope &scope, Scope &step);
  /// Sets `next` of the carried values to the values of their variables at the end of the body. False, with an error,
  /// if a value is no tensor, or has another type than the initial value.
  bool takeNext(const ast::ScanExpr &expr, typed::Scan &scan, typed::ExprRef length, Scope &step);
  /// Returns a result; adds a stacked one to the scan. An ErrorValue, with an error unless the value has one already,
  /// if the name is no variable of the time step, or a stacked result is not subscripted by the time step in exactly
  /// one dimension.
  Value result(const ast::ScanExpr &expr, const ast::ScanResult &result, typed::Scan &scan, typed::ExprRef length,
               Scope &step);
  /// Returns a carried value after the last time step; an ErrorValue, with an error, if the variable is not carried.
  Value carriedResult(const ast::ScanExpr &expr, const ast::ScanResult &result, const typed::Scan &scan);
  /// Returns `value` in the rows that have not ended, and `ended`, or zeros if it is null, in the others. Null, with an
  /// error, if the first dimensions of `value` are not those of `length`.
  typed::ExprRef whileRunning(typed::ExprRef length, const typed::LoopCounter *counter, typed::ExprRef value,
                              typed::ExprRef ended, SourceRange range, const std::string &name);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Scopes &scopes;
  StateValues &states;
  Names &names;
  Conversions &conversions;
  DimensionBounds &bounds;
  IndexScopes &indexScopes;
  LoopNest &loopsAround;
  ExpressionChecker &expressions;
  BlockChecker &blocks;
};

} // namespace attnc::check
