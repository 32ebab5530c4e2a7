//===- Gradients.h - activity analysis for gradients --------------------------------------------------------------===//
//
// An expression is active if it is f32 and depends on a variable of differentiation: a parameter that is not frozen,
// and, except in a training step, an argument. A local variable without a definition, such as a loop-carried value,
// counts as active. An operation without a derivative on an active operand is an error, unless `stop` around the
// operand makes it inactive.
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

  void beginEntry();
  /// Records an argument of the entry point.
  void addArgument(const typed::Local *argument) { arguments.insert(argument); }

  /// True if the entry point is differentiated.
  bool areTaken() const { return context.isDifferentiated; }
  /// True if an i32 expression depends on the indices of the top keys (`top`) of an attend whose score is active. These
  /// indices have no gradient.
  bool dependsOnChosenKeys(typed::ExprRef expr);
  /// Checks the operand of `what`, an operation without a derivative. True if the operand is inactive or nothing is
  /// differentiated; false, with an error, if it is active.
  bool passesNoGradient(typed::ExprRef x, SourceRange range, const std::string &what);

private:
  bool isActive(typed::ExprRef expr);
  bool isActiveLocal(const typed::Local *local);

  Reporter &reporter;
  const PendingAttends &pendings;
  const LetBuilder &lets;
  const EntryContext &context;
  std::set<const typed::Local *> arguments; ///< arguments of the entry point
  std::unordered_map<typed::ExprRef, bool> activity;
};

} // namespace attnc::check
