//===- StateUpdates.h - statements `state <- value` ---------------------------------------------------------------===//
//
// The assignment updates a parameter or a state of an optimizer in the optimizer's step, or a state of a module in a
// function. A state of a module is set once, when a training step returns; the training step reads its previous value.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

class StateUpdates {
public:
  StateUpdates(Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins, Conversions &conversions,
               const EntryContext &context, const LoopNest &loops, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), origins(origins), conversions(conversions), context(context),
        loops(loops), expressions(expressions) {}

  void update(const ast::UpdateStmt &stmt, Scope &scope);

  void beginEntry() { updates.clear(); }
  /// Returns and clears the updates of the entry point's module states.
  std::vector<typed::StateUpdate> take() { return std::move(updates); }

private:
  typed::ExprRef nextValue(const typed::Type &declared, const ast::UpdateStmt &stmt, const Value &value);
  void updateModuleState(const typed::Parameter &state, const ast::UpdateStmt &stmt, const Value &value,
                         const ModuleValue &self);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Origins &origins;
  Conversions &conversions;
  const EntryContext &context;
  const LoopNest &loops;
  ExpressionChecker &expressions;
  std::vector<typed::StateUpdate> updates; ///< in the entry point that is being checked
};

} // namespace attnc::check
