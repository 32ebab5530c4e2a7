//===- Modules.h - instantiation of modules -----------------------------------------------------------------------===//
//
// A field `norm: LayerNorm(dim)` instantiates a module: its hyperparameters are bound, its constants are evaluated, and
// its fields become parameters, instances, or lists of instances. A list of equal modules, `[Block(dim); layers]`, has
// one instance, whose parameters have a further count `layers` (Value.h), or, if the list is stacked, a further
// dimension (StackedLists.h). `[Block(l) for l < n]` and `[A(), B()]` have
// an instance for each element.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/Hyperparameters.h"
#include "frontends/attn/Check/Modules/ParameterTable.h"
#include "frontends/attn/Check/Modules/PartRules.h"
#include "frontends/attn/Check/StackedLists.h"

namespace attnc::check {

/// Instantiates modules and owns the instances.
class Modules {
public:
  Modules(typed::Program &program, Reporter &reporter, Scopes &scopes, Names &names, ParameterTable &parameters,
          const StackedLists &stacked, ExpressionChecker &expressions)
      : program(program), reporter(reporter), scopes(scopes), names(names), parameters(parameters), stacked(stacked),
        expressions(expressions) {}

  /// Instantiates the model `decl` of the file `unit` with its settings (Hyperparameters.h), adds its parameters to the
  /// program, and sets name and hyperparameters of the program. Reports errors. Never returns null; after an error the
  /// instance is incomplete.
  Instance *instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit, const Settings &settings);
  /// Instantiates a module that no field instantiates and whose hyperparameters all have defaults, to find errors in it
  /// and later in its functions. Its parameters are not added to the program.
  void instantiateAlone(const ast::ModuleDecl &decl, SourceUnit &unit);
  /// Instantiates the module `cls` by the call `call`, whose arguments are checked in `scope`, after the arguments
  /// `first`. `place` has the members
  /// of the instance that depend on its field: all except `decl`, `unit` and `members`. Adds the parameters to the
  /// program. Returns a ModuleValue without picks; an ErrorValue after an error.
  Value instantiate(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope,
                    std::vector<CheckedArgument> first = {});
  /// Adds an empty instance, for an optimizer, whose hyperparameters the caller then binds.
  Instance &addInstance(const ast::ModuleDecl &decl, SourceUnit &unit);

  /// Returns all instances, in the order of their creation, also those of optimizers and those with errors.
  std::deque<Instance> &getInstances() { return instances; }

private:
  /// Computes constants and fields of an instance with bound hyperparameters; false after an error.
  bool fill(Instance &instance);
  void addField(Instance &instance, const ast::FieldDecl &field, Scope &scope);
  /// Checks the rules of a field for its parts, and adds them to `place`.
  void addRules(Instance &place, const ast::FieldDecl &field, const Instance &owner, Scope &scope);
  /// Instantiates a module, and the module that a rule puts around it.
  Value instantiatePart(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope);
  /// Puts the module of the `with` of `rules` around the module that `call` instantiates. No rule selects its parts.
  Value wrap(PartRules &rules, const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope);
  /// Returns the value of a field of `owner`, a module or a list; `place` is the field, extended by the lists around
  /// `value`.
  Value fieldValue(const ast::Expr &value, const Instance &owner, Instance place, Scope &scope);
  Value repeatedList(const ast::ListRepeatExpr &repeat, const Instance &owner, Instance place, Scope &scope);
  Value listComprehension(const ast::ListComprehensionExpr &list, const Instance &owner, Instance place, Scope &scope);
  /// Reports `frozen` and `as` of a field whose module another field instantiates.
  void checkMadeElsewhere(const ast::FieldDecl &field, const Instance &place, const Value &value);

  typed::Program &program;
  Reporter &reporter;
  Scopes &scopes;
  Names &names;
  ParameterTable &parameters;
  const StackedLists &stacked;
  ExpressionChecker &expressions;
  std::deque<Instance> instances;
  std::deque<PartRules> rules;
  std::vector<const ast::ModuleDecl *> beingFilled; ///< enclosing modules that are being instantiated
};

} // namespace attnc::check
