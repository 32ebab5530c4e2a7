//===- Minimizer.h - training steps: `minimize(f, with: optimizer, over: module, clip_norm: 1.0, accumulate: 4)` --===//
#pragma once

#include "frontends/attn/Check/Entries/Derivation.h"
#include "frontends/attn/Check/Entries/Optimizers.h"

namespace attnc::check {

/// Checker of exports by `minimize`, which derive a training step from a function that returns a loss.
class Minimizer {
public:
  Minimizer(typed::Program &program, Reporter &reporter, LetBuilder &lets, const EntryContext &context,
            ParameterTable &parameters, Optimizers &optimizers, ExpressionChecker &expressions)
      : program(program), reporter(reporter), lets(lets), context(context), parameters(parameters),
        optimizers(optimizers), expressions(expressions) {}

  /// Checks the expression after `over:` and returns its value, which selects modules or parameters to train, or an
  /// error value. Null without the argument. A value of another kind selects no parameter, which minimize() reports.
  /// The value is needed before the check of the function, because the function updates only states of these modules.
  std::optional<Value> over(const Derivation &derivation, Scope &scope);
  /// Sets `training` of the entry point, with a step of the optimizer for each parameter to train. Adds the states of
  /// training to the program. Requires that EntryContext::minimizedOver is the value of `over`. Reports errors, among
  /// them a result that is not a loss; `training` is then null or incomplete.
  void minimize(typed::Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope);

private:
  struct Arguments {
    Instance *optimizer = nullptr; ///< `with:`; null without it, or after an error
    typed::Training training;      ///< `clip_norm:` and `accumulate:`
    bool isWhole = true;           ///< no argument has an error
  };
  Arguments readArguments(const Derivation &derivation, Scope &scope);
  void readArgument(Arguments &result, const ast::Argument &argument, const std::string &label, Scope &scope);
  /// Returns the parameters that `over:` selects, or all if it is absent, except states, frozen parameters and those of
  /// empty lists.
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
