//===- Names.h - look-up of names ---------------------------------------------------------------------------------===//
//
// A name is looked up in the scopes of the function body, then among the members of its module, the items of its file,
// those of the files that this one uses, and the builtins.
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
  /// Reports a name that is not known, with the nearest one that is.
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

/// All names that `Names::find` would find.
std::vector<std::string> visibleNames(const Scope &scope);

} // namespace attnc::check
