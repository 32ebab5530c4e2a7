//===- Gradients.h - activity analysis for gradients --------------------------------------------------------------===//
//
// Activity analysis of automatic differentiation. An expression is active if it is f32 and depends, through f32
// expressions, on a variable of differentiation: a parameter that is not frozen, and, except in a training step, an
// argument of the entry point. A local variable without a definition, such as a loop-carried value, counts as active.
// An operation without a derivative on an active operand is an error; `stop(x)` is inactive. In the function f of
// `gradient(f, x)`, the only variable of differentiation is x, and the gradient itself is inactive around it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Activity of the expressions of the entry point that is being checked.
class Gradients {
public:
  Gradients(Reporter &reporter, const PendingAttends &pendings, const LetBuilder &lets, const EntryContext &context)
      : reporter(reporter), pendings(pendings), lets(lets), context(context) {}

  /// Starts an entry point, without arguments.
  void beginEntry();
  /// Records an argument of the entry point, which is a variable of differentiation except in a training step.
  void addArgument(const typed::Local *argument) { arguments.insert(argument); }

  /// While an object of this class lives, the checked expressions belong to the function of `gradient(f, x)`: its
  /// parameter is the only variable of differentiation. Objects can be nested.
  class Nested {
  public:
    Nested(Gradients &gradients, const typed::Local *variable)
        : gradients(gradients), outer(std::exchange(gradients.variable, variable)) {
      activity.swap(gradients.activity);
    }
    ~Nested() {
      activity.swap(gradients.activity);
      gradients.variable = outer;
    }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;

  private:
    Gradients &gradients;
    const typed::Local *outer;
    std::unordered_map<typed::ExprRef, bool> activity; ///< of the expressions around `gradient`
  };

  /// True if gradients of the checked expressions are computed: those of the entry point
  /// (EntryContext::isDifferentiated), or those of `gradient(f, x)`.
  bool areTaken() const { return context.isDifferentiated || variable; }
  /// True if an i32 expression depends, through i32 expressions alone, on the result `top`, numbers of keys, of an
  /// `attend` with an active score. Numbers of keys have no gradient. Also true if the `attend` is pending and another
  /// of its formulas is active. Does not depend on areTaken().
  bool dependsOnChosenKeys(typed::ExprRef expr);
  /// Checks the operand x, at `range`, of an operation without a derivative; `what` is its name in messages. Returns
  /// true if the operand is inactive or if !areTaken(); false, with an error, if the operand is active.
  bool passesNoGradient(typed::ExprRef x, SourceRange range, const std::string &what);

private:
  bool isActive(typed::ExprRef expr);
  bool isActiveLocal(const typed::Local *local);

  Reporter &reporter;
  const PendingAttends &pendings;
  const LetBuilder &lets;
  const EntryContext &context;
  std::set<const typed::Local *> arguments; ///< arguments of the entry point
  const typed::Local *variable = nullptr;   ///< of the innermost Nested
  std::unordered_map<typed::ExprRef, bool> activity;
};

} // namespace attnc::check
