//===- Modules.h - instantiation of modules -----------------------------------------------------------------------===//
//
// A field `norm: LayerNorm(dim)` instantiates a module: its hyperparameters are bound, its constants are evaluated, and
// its fields become parameters, instances, or lists of instances. A list of equal modules has one instance.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/Hyperparameters.h"
#include "frontends/attn/Check/Modules/ParameterTable.h"

namespace attnc::check {

class Modules {
public:
  Modules(typed::Program &program, Reporter &reporter, Scopes &scopes, ParameterTable &parameters,
          ExpressionChecker &expressions)
      : program(program), reporter(reporter), scopes(scopes), parameters(parameters), expressions(expressions) {}

  Instance *instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit, const Settings &settings);
  /// Instantiates a module with its defaults to check it; its parameters are dropped.
  void instantiateAlone(const ast::ModuleDecl &decl, SourceUnit &unit);
  /// Instantiates the module `cls` by `call`; `place` has the path of the field.
  Value instantiate(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope);
  /// Adds an instance without fields, for an optimizer with hyperparameters.
  Instance &addInstance(const ast::ModuleDecl &decl, SourceUnit &unit);

  std::deque<Instance> &getInstances() { return instances; }

private:
  /// Computes the members of an instance with bound hyperparameters.
  bool fill(Instance &instance);
  void addField(Instance &instance, const ast::FieldDecl &field, Scope &scope);
  Value fieldValue(const ast::Expr &value, const Instance &owner, Instance place, Scope &scope);
  Value repeatedList(const ast::ListRepeatExpr &repeat, const Instance &owner, Instance place, Scope &scope);
  Value listComprehension(const ast::ListComprehensionExpr &list, const Instance &owner, Instance place, Scope &scope);
  void checkMadeElsewhere(const ast::FieldDecl &field, const Instance &place, const Value &value);

  typed::Program &program;
  Reporter &reporter;
  Scopes &scopes;
  ParameterTable &parameters;
  ExpressionChecker &expressions;
  std::deque<Instance> instances;
  std::vector<const ast::ModuleDecl *> beingFilled; ///< enclosing modules that are being instantiated
};

} // namespace attnc::check
