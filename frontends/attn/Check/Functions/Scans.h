//===- Scans.h - recurrences: `scan t over n backward until length carry (h = h0) { ... } -> (h[:, t], h)` --------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Names/Names.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

class Scans {
public:
  Scans(typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets, Scopes &scopes, Names &names,
        Conversions &conversions, IndexScopes &indexScopes, LoopNest &loopsAround, ExpressionChecker &expressions,
        BlockChecker &blocks)
      : program(program), reporter(reporter), build(build), lets(lets), scopes(scopes), names(names),
        conversions(conversions), indexScopes(indexScopes), loopsAround(loopsAround), expressions(expressions),
        blocks(blocks) {}

  Value scan(const ast::ScanExpr &expr, Scope &scope);

private:
  std::optional<Dim> steps(const ast::Expr &over, Scope &scope);
  typed::ExprRef length(const ast::Expr &until, Scope &scope);
  /// Checks the body in the current block; false if the next carried values are missing.
  bool body(const ast::ScanExpr &expr, Scope &step);
  /// Declares the carried values as variables of the time step.
  bool carry(const ast::ScanExpr &expr, typed::Scan &scan, Scope &scope, Scope &step);
  /// Sets the carried values for the next time step.
  bool takeNext(const ast::ScanExpr &expr, typed::Scan &scan, typed::ExprRef length, Scope &step);
  Value result(const ast::ScanExpr &expr, const ast::ScanResult &result, typed::Scan &scan, typed::ExprRef length,
               Scope &step);
  Value carriedResult(const ast::ScanExpr &expr, const ast::ScanResult &result, const typed::Scan &scan);
  /// Selects `value` in the rows that have not ended; `ended` elsewhere, or zeros if `ended` is null.
  typed::ExprRef whileRunning(typed::ExprRef length, const typed::LoopCounter *counter, typed::ExprRef value,
                              typed::ExprRef ended, SourceRange range, const std::string &name);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Scopes &scopes;
  Names &names;
  Conversions &conversions;
  IndexScopes &indexScopes;
  LoopNest &loopsAround;
  ExpressionChecker &expressions;
  BlockChecker &blocks;
};

} // namespace attnc::check
