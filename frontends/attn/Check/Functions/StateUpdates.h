//===- StateUpdates.h - statements `state <- value` ---------------------------------------------------------------===//
//
// The statement means different things in two places:
//
// - In the step of an optimizer, it assigns the parameter or a state of the optimizer. Later statements of the step
//   read the new value.
// - In a function of a module, it sets a `state` of the module. Only training steps do this: the new value is stored
//   when the training step returns, and the training step itself reads the previous value. In other entry points, and
//   for modules that `over:` of `minimize` does not select, the statement is checked and has no effect.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of `<-`, and the list of updates of module states in the entry point that is being checked.
class StateUpdates {
public:
  StateUpdates(Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins, Conversions &conversions,
               const EntryContext &context, const LoopNest &loops, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), origins(origins), conversions(conversions), context(context),
        loops(loops), expressions(expressions) {}

  /// Checks an update and records it. A scalar value is repeated in the shape of the state. Reports a target that is no
  /// state of this module or step, and a value of another type. In a training step, also reports an update of a module
  /// state that is inside index notation, a second update of one state, and an update that is not in exactly the loops
  /// over the lists of its module, such as one in a scan.
  void update(const ast::UpdateStmt &stmt, Scope &scope);

  /// Starts an entry point, without updates.
  void beginEntry() { updates.clear(); }
  /// Returns the updates of module states of the entry point; the list is then empty.
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
