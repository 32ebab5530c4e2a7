//===- Derivation.h - exports: `export name = rule(f, arguments...)` ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

struct Derivation {
  const ast::NameRefExpr *rule = nullptr; ///< `minimize`, `gradient`, ...; null: the function itself
  ast::Name function;
  std::vector<const ast::Argument *> arguments; ///< besides the function

  bool isBy(const char *name) const { return rule && rule->name == name; }
};

/// The derivation of an export; nothing where it has an error.
std::optional<Derivation> derivationOf(Reporter &reporter, const ast::ExportDecl &decl);

/// The function of the model or the file with that name.
std::optional<FunctionValue> exportedFunction(Reporter &reporter, const ast::Name &name, SourceUnit &unit,
                                              Instance *model);

/// Is the result of an entry point one f32? Reports other results.
bool isLoss(Reporter &reporter, const typed::Entry &entry, const ast::ExportDecl &decl, const char *what);

} // namespace attnc::check
