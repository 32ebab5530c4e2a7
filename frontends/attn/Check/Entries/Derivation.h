//===- Derivation.h - exports: `export name = rule(f, arguments...)` ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

struct Derivation {
  const ast::NameRefExpr *rule = nullptr; ///< `minimize`, `gradient`, ...; null: the function itself
  ast::Name function;
  std::vector<const ast::Argument *> arguments; ///< after the function

  bool isBy(const char *name) const { return rule && rule->name == name; }
};

/// Reads the derivation of an export; null if it has an error.
std::optional<Derivation> derivationOf(Reporter &reporter, const ast::ExportDecl &decl);

/// Returns the function of the model or the file with that name; null, with an error, if there is none.
std::optional<FunctionValue> exportedFunction(Reporter &reporter, const ast::Name &name, SourceUnit &unit,
                                              Instance *model);

/// True if the result of an entry point is one f32. Reports other results.
bool isLoss(Reporter &reporter, const typed::Entry &entry, const ast::ExportDecl &decl, const char *what);

} // namespace attnc::check
