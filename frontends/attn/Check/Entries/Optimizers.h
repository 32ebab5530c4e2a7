//===- Optimizers.h - optimizers and their updates of each parameter ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/Modules.h"

namespace attnc::check {

/// Checker of optimizers: `optimizer adamw(lr) { state m, v = like(p); step(p, g, t) { ... } }`. The step is checked
/// once for each trained parameter p, with its shape and tags.
class Optimizers {
public:
  Optimizers(Reporter &reporter, Builder &build, LetBuilder &lets, Scopes &scopes, EntryContext &context,
             Modules &modules, ParameterTable &parameters, Conversions &conversions, ExpressionChecker &expressions,
             BlockChecker &blocks)
      : reporter(reporter), build(build), lets(lets), scopes(scopes), context(context), modules(modules),
        parameters(parameters), conversions(conversions), expressions(expressions), blocks(blocks) {}

  /// Instantiates the optimizer that the expression `with` names, such as `adamw(lr: 1e-3)`, with its hyperparameters.
  /// Null, with an error, if the expression or the optimizer is invalid. Modules owns the result.
  Instance *make(const ast::Expr &with, Scope &scope);
  /// Checks the optimizer's step for one parameter, or for an element of a list of parameters, and adds it to
  /// entry.training, which is not null. Adds the states for the parameter to the program. False, with an error, if the
  /// step is invalid. The current block of the LetBuilder is invalid afterwards: the caller sets another before it
  /// adds statements.
  bool addStep(typed::Entry &entry, Instance &optimizer, const typed::Parameter &parameter);

private:
  /// Binds a name of the step to a new local, which `<-` can update if `isState`.
  const typed::Local *bind(const Instance &optimizer, const ast::Name &name, typed::Type type, bool isState,
                           Scope &scope);
  /// Adds the states of the optimizer for the parameter of `step` to the program and to `step`.
  void addStates(const typed::Entry &entry, const Instance &optimizer, typed::OptimizerStep &step, Scope &scope);
  /// Returns the type of a state and the initial value of all its elements; null, with an error, for other initial
  /// values.
  std::optional<std::pair<typed::Type, double>> stateStart(const ast::OptimizerState &state, Scope &scope);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Scopes &scopes;
  EntryContext &context;
  Modules &modules;
  ParameterTable &parameters;
  Conversions &conversions;
  ExpressionChecker &expressions;
  BlockChecker &blocks;
};

} // namespace attnc::check
