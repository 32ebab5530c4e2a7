//===- Minimizer.h - training steps: `minimize(f, with: optimizer, over: module, clip_norm: 1.0)` -----------------===//
#pragma once

#include "frontends/attn/Check/Entries/Derivation.h"
#include "frontends/attn/Check/Entries/Optimizers.h"

namespace attnc::check {

/// Checker of `minimize`.
class Minimizer {
public:
  Minimizer(typed::Program &program, Reporter &reporter, LetBuilder &lets, const EntryContext &context,
            ParameterTable &parameters, Optimizers &optimizers, ExpressionChecker &expressions)
      : program(program), reporter(reporter), lets(lets), context(context), parameters(parameters),
        optimizers(optimizers), expressions(expressions) {}

  /// Returns the value of `over:`, modules or parameters; null without it. It is required before the function is
  /// checked, because the function updates only states of these modules.
  std::optional<Value> over(const Derivation &derivation, Scope &scope);
  /// Sets `training` of the entry point, whose result has to be a loss: a step of the optimizer for each parameter to
  /// train. Adds the states of training to the program. Reports errors; `training` is then missing or incomplete.
  void minimize(typed::Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope);

private:
  struct Arguments {
    Instance *optimizer = nullptr; ///< `with:`; null without it, or after an error
    typed::Training training;      ///< `clip_norm:` and `accumulate:`
    bool isWhole = true;           ///< no argument has an error
  };
  Arguments readArguments(const Derivation &derivation, Scope &scope);
  void readArgument(Arguments &result, const ast::Argument &argument, const std::string &label, Scope &scope);
  /// Returns the parameters that `over:` selects, without frozen ones.
  std::vector<const typed::Parameter *> trainedParameters() const;

  typed::Program &program;
  Reporter &reporter;
  LetBuilder &lets;
  const EntryContext &context;
  ParameterTable &parameters;
  Optimizers &optimizers;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
