//===- StateUpdates.h - statements `state <- value` ---------------------------------------------------------------===//
//
// The statement means different things in two places:
//
// - In the step of an optimizer, it assigns the parameter or a state of the optimizer. Later statements of the step
//   read the new value.
// - In a function of a module, it assigns a `state` of the module. Only training steps do this: later statements read
//   the new value, and the last value is stored when the training step returns. In other entry points, and for modules
//   that `over:` of `minimize` does not select, the statement is checked and has no effect.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Names/StateValues.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of `<-`.
class StateUpdates {
public:
  StateUpdates(Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins, Conversions &conversions,
               const IndexScopes &indexScopes, StateValues &states, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), origins(origins), conversions(conversions),
        indexScopes(indexScopes), states(states), expressions(expressions) {}

  /// Checks an update and assigns the state. A scalar value is repeated in the shape of the state. Reports a target
  /// that is no state of this module or step, and a value of another type. In a training step, also reports an update
  /// of a module state that is inside index notation, and of the state of a module of a list, unless the outermost
  /// loops are those over the list.
  void update(const ast::UpdateStmt &stmt, Scope &scope);

private:
  typed::ExprRef nextValue(const typed::Type &declared, const ast::UpdateStmt &stmt, const Value &value);
  void updateModuleState(const typed::Parameter &state, const ast::UpdateStmt &stmt, const Value &value,
                         const ModuleValue &self);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Origins &origins;
  Conversions &conversions;
  const IndexScopes &indexScopes;
  StateValues &states;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
