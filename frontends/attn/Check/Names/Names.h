//===- Names.h - name lookup --------------------------------------------------------------------------------------===//
//
// The lookup order is: the scopes from the innermost to the outermost one, the members of the module, the items of the
// file, the used files themselves (`nn`), the items of used files (in the alphabetical order of the last words of their
// `use`), the builtins. An export by `decode` is an item of its file once the export has been checked; other items of
// the same name precede it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"
#include "frontends/attn/Check/Names/StateValues.h"

namespace attnc::check {

/// Looks up names. A constant of a file is evaluated when it is first found.
class Names {
public:
  Names(Reporter &reporter, Builder &build, Scopes &scopes, StateValues &states, const EntryContext &context,
        ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), states(states), context(context), expressions(expressions) {}

  /// Returns the value of a name in `scope`; null, without an error, if it is unknown. The first of these is found: a
  /// local, a member of the module, an item of the file, a used file, a builtin, an item of a used file. A parameter of
  /// a module is returned as a tensor, with the indices in the lists around the module (ParameterValue of Value.h); a
  /// state has its current value (StateValues.h). An erroneous constant of a file is an ErrorValue; its error is
  /// reported when it is first found.
  std::optional<Value> find(Scope &scope, const std::string &name);
  /// Returns the value of an item of the file `unit`, not of the files that it uses; null, without an error, if there
  /// is none.
  std::optional<Value> findItem(SourceUnit &unit, const std::string &name) { return findTopLevel(&unit, name); }
  /// Return the value of `x`; and of `x.y`, where x is a module or a used file. An ErrorValue, with an error, if the
  /// name is unknown or x has no members; and, without another error, if x is an ErrorValue.
  Value nameRef(const ast::NameRefExpr &ref, Scope &scope);
  Value member(const ast::MemberExpr &expr, Scope &scope);
  /// Reports the unknown name `name` at `range`, and returns an ErrorValue. If the file exports the name, a note has
  /// the export; otherwise a hint has the most similar visible name; if none is similar, the files of the prelude that
  /// have the name, if any.
  Value unknownName(SourceRange range, const std::string &name, Scope &scope);

private:
  Value parameterOf(const ModuleValue &self, const ParameterValue &member);
  Value memberOf(const ModuleValue &self, const Value &member);
  std::optional<Value> findMember(const ModuleValue &self, const std::string &name);
  std::optional<Value> findTopLevel(SourceUnit *unit, const std::string &name);
  std::optional<Value> findBuiltinValue(const std::string &name) const;
  Value evaluateConstant(const ast::ConstDecl &decl, SourceUnit *unit);

  Reporter &reporter;
  Builder &build;
  Scopes &scopes;
  StateValues &states;
  const EntryContext &context;
  ExpressionChecker &expressions;
};

/// Returns all names that `Names::find` finds in `scope`, except the builtin constants `inf`, `pi` and `training`; for
/// hints. The list is not sorted and may have a name twice.
std::vector<std::string> visibleNames(const Scope &scope);

} // namespace attnc::check
