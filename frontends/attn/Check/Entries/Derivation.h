//===- Derivation.h - exports: `export name = rule(f, arguments...)` ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// The rule of an export and its arguments. `export f` derives f from itself.
struct Derivation {
  const ast::NameRefExpr *rule = nullptr;       ///< `minimize`, `gradient`, ...; null: the function itself
  ast::Name function;                           ///< the first argument without a label; for `decode`, an entry point
  std::vector<const ast::Argument *> arguments; ///< all others

  /// True if the rule is `name`.
  bool isBy(const char *name) const { return rule && rule->name == name; }
};

/// Reads the derivation of an export; null, with an error, if the rule is unknown or has no function. Only `gradient`
/// and `attention` are checked for surplus arguments.
std::optional<Derivation> derivationOf(Reporter &reporter, const ast::ExportDecl &decl);

/// Returns the function of the model with that name, otherwise that of the file or of a file that it uses; null, with
/// an error, if there is none. `model` is null in a file without one.
std::optional<FunctionValue> exportedFunction(Reporter &reporter, const ast::Name &name, SourceUnit &unit,
                                              Instance *model);

/// True if the only result of an entry point is an f32 of rank 0. Reports other results: "`what` one f32, but ...".
bool isLoss(Reporter &reporter, const typed::Entry &entry, const ast::ExportDecl &decl, const char *what);

} // namespace attnc::check
