//===- StateUpdates.h - statements `state <- value` ---------------------------------------------------------------===//
//
// In the step of an optimizer, the statement assigns a parameter or a state of the optimizer; later statements read the
// new value. In a function of a module, it sets a state of the module, once, when a training step returns; the training
// step reads the previous value. In other entry points, and for modules that `minimize`'s `over:` does not select, it
// is checked and has no effect.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of `<-`, and the updates of module states in the entry point that is being checked.
class StateUpdates {
public:
  StateUpdates(Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins, Conversions &conversions,
               const EntryContext &context, const LoopNest &loops, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), origins(origins), conversions(conversions), context(context),
        loops(loops), expressions(expressions) {}

  /// Checks an update. A scalar value is repeated in the shape of the state. Reports a target that is no state of this
  /// module or step, and a value of another type. In a training step, also reports an update of a module state that is
  /// inside index notation, that is the second one of this state, or that updates one module in a loop over others or
  /// one element of a list of modules.
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
