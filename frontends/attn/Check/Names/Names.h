//===- Names.h - name lookup --------------------------------------------------------------------------------------===//
//
// The lookup order is: the scopes of the function body, the members of its module, the items of its file, the used
// files themselves (`nn`), the items of used files, the builtins. Exports by `decode` are items of their file after all
// others, from their export on.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

/// Looks up names. Constants of files are evaluated when they are first found.
class Names {
public:
  Names(Reporter &reporter, Builder &build, Scopes &scopes, const EntryContext &context, ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), context(context), expressions(expressions) {}

  /// Returns the value of a name; null, without an error, if it is unknown.
  std::optional<Value> find(Scope &scope, const std::string &name);
  /// Returns the value of an item of a file itself; null, without an error, if there is none.
  std::optional<Value> findItem(SourceUnit &unit, const std::string &name) { return findTopLevel(&unit, name, false); }
  /// Return the value of `x`, and of `x.y` in a module or a used file. An ErrorValue, with an error, if the name is
  /// unknown.
  Value nameRef(const ast::NameRefExpr &ref, Scope &scope);
  Value member(const ast::MemberExpr &expr, Scope &scope);
  /// Reports an unknown name, with the most similar known one or the file of the prelude that has it. Returns an
  /// ErrorValue.
  Value unknownName(SourceRange range, const std::string &name, Scope &scope);

private:
  std::optional<Value> findMember(const ModuleValue &self, const std::string &name);
  std::optional<Value> findTopLevel(SourceUnit *unit, const std::string &name, bool throughUses);
  Value evaluateConstant(const ast::ConstDecl &decl, SourceUnit *unit);

  Reporter &reporter;
  Builder &build;
  Scopes &scopes;
  const EntryContext &context;
  ExpressionChecker &expressions;
};

/// Returns all names that `Names::find` would find, except the builtin constants `inf`, `pi` and `training`. For hints.
std::vector<std::string> visibleNames(const Scope &scope);

} // namespace attnc::check
