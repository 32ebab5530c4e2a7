//===- Gradients.h - activity analysis for gradients --------------------------------------------------------------===//
//
// An expression is active if it depends on a variable of differentiation. An operation without a derivative on an
// active operand is an error, unless `stop` around the operand makes it inactive.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

class Gradients {
public:
  Gradients(Reporter &reporter, const PendingAttends &pendings, const LetBuilder &lets, const EntryContext &context)
      : reporter(reporter), pendings(pendings), lets(lets), context(context) {}

  void beginEntry();
  void addArgument(const typed::Local *argument) { arguments.insert(argument); }

  /// True if gradients of the entry point are computed.
  bool areTaken() const { return context.isDifferentiated; }
  /// True if the expression depends on keys that an attend with active scores has chosen.
  bool dependsOnChosenKeys(typed::ExprRef expr);
  /// True if the operand is inactive; reports an active operand of an operation without a derivative.
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
