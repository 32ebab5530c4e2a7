//===- Names.h - name lookup --------------------------------------------------------------------------------------===//
//
// The lookup order is: the scopes of the function body, the members of its module, the items of its file, the items of
// used files, the builtins.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

class Names {
public:
  Names(Reporter &reporter, Builder &build, Scopes &scopes, const EntryContext &context, ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), context(context), expressions(expressions) {}

  std::optional<Value> find(Scope &scope, const std::string &name);
  Value nameRef(const ast::NameRefExpr &ref, Scope &scope);
  Value member(const ast::MemberExpr &expr, Scope &scope);
  /// Reports an unknown name, with the most similar known one.
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

/// Returns all names that `Names::find` would find.
std::vector<std::string> visibleNames(const Scope &scope);

} // namespace attnc::check
