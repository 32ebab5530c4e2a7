//===- Optimizers.h - optimizers and their updates of each parameter ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Modules/Modules.h"

namespace attnc::check {

class Optimizers {
public:
  Optimizers(Reporter &reporter, Builder &build, LetBuilder &lets, Scopes &scopes, EntryContext &context,
             Modules &modules, ParameterTable &parameters, Conversions &conversions, ExpressionChecker &expressions,
             BlockChecker &blocks)
      : reporter(reporter), build(build), lets(lets), scopes(scopes), context(context), modules(modules),
        parameters(parameters), conversions(conversions), expressions(expressions), blocks(blocks) {}

  /// Instantiates `adamw(lr: 1e-3)` with its hyperparameters; null if it has an error.
  Instance *make(const ast::Expr &with, Scope &scope);
  /// Checks the optimizer's step for one parameter and its shape, and adds it to the entry point.
  bool addStep(typed::Entry &entry, Instance &optimizer, const typed::Parameter &parameter);

private:
  /// Binds a name of the step to a new local.
  const typed::Local *bind(const Instance &optimizer, const ast::Name &name, typed::Type type, bool isState,
                           Scope &scope);
  void addStates(const typed::Entry &entry, const Instance &optimizer, typed::OptimizerStep &step, Scope &scope);
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
