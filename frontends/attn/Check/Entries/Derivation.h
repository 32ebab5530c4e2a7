//===- Derivation.h - exports: `export name = rule(f, arguments...)` ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// An export as read from the AST: the rule by which its entry point is derived from a function, and the arguments of
/// the rule. `export f` has no rule.
struct Derivation {
  const ast::NameRefExpr *rule = nullptr; ///< `minimize`, `gradient`, ...; null: the function itself
  ast::Name function; ///< a function, for `decode` an entry point: the first argument without a label that is a name
  std::vector<const ast::Argument *> arguments; ///< all arguments except `function`, in order

  /// True if the rule is `name`.
  bool isBy(const char *name) const { return rule && rule->name == name; }
};

/// Reads the derivation of an export. Returns null, with an error, if the rule is unknown or lacks a function, or if
/// `gradient` or `attention` has more arguments. The arguments of other rules are not checked. `export f` and
/// `export g = f` have no rule and the function f.
std::optional<Derivation> derivationOf(Reporter &reporter, const ast::ExportDecl &decl);

/// Looks up a function to export: among the functions of the model, then of the file `unit`, then of the files that it
/// uses. Null, with an error, if there is none. `model` is null in a file without a model.
std::optional<FunctionValue> exportedFunction(Reporter &reporter, const ast::Name &name, SourceUnit &unit,
                                              Instance *model);

/// True if the entry point has one result, an f32 of rank 0, or with `mayHaveMetrics`, at least one such result and no
/// others. Reports other results at the value of the export `decl`: "WHAT one f32, but this function returns ...", and
/// returns false.
bool isLoss(Reporter &reporter, const typed::Entry &entry, const ast::ExportDecl &decl, const char *what,
            bool mayHaveMetrics = false);

} // namespace attnc::check
