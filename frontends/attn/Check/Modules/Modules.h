//===- Modules.h - instantiation of modules -----------------------------------------------------------------------===//
//
// A field `norm: LayerNorm(dim)` instantiates a module: its hyperparameters are bound, its constants are evaluated, and
// its fields become parameters, instances, or lists of instances. A list of equal modules, `[Block(dim); layers]`, has
// one instance, whose parameters have a further count; `[Block(l) for l < n]` has n instances.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/Hyperparameters.h"
#include "frontends/attn/Check/Modules/ParameterTable.h"

namespace attnc::check {

/// Instantiates modules and owns the instances.
class Modules {
public:
  Modules(typed::Program &program, Reporter &reporter, Scopes &scopes, Names &names, ParameterTable &parameters,
          ExpressionChecker &expressions)
      : program(program), reporter(reporter), scopes(scopes), names(names), parameters(parameters),
        expressions(expressions) {}

  /// Instantiates the model with its settings, and sets name and hyperparameters of the program. Reports errors; never
  /// null.
  Instance *instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit, const Settings &settings);
  /// Instantiates a module with its defaults to check it and later its functions; the program does not get its
  /// parameters.
  void instantiateAlone(const ast::ModuleDecl &decl, SourceUnit &unit);
  /// Instantiates the module `cls` by `call`, which is checked in `scope`. `place` has the path, the checkpoint path,
  /// the counts and the frozen state that the instance gets from its field. A ModuleValue; an ErrorValue after an
  /// error.
  Value instantiate(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope);
  /// Adds an instance without fields, for an optimizer with hyperparameters.
  Instance &addInstance(const ast::ModuleDecl &decl, SourceUnit &unit);

  std::deque<Instance> &getInstances() { return instances; }

private:
  /// Computes constants and fields of an instance with bound hyperparameters; false after an error.
  bool fill(Instance &instance);
  void addField(Instance &instance, const ast::FieldDecl &field, Scope &scope);
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
  ExpressionChecker &expressions;
  std::deque<Instance> instances;
  std::vector<const ast::ModuleDecl *> beingFilled; ///< enclosing modules that are being instantiated
};

} // namespace attnc::check
