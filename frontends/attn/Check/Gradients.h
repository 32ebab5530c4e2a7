//===- Gradients.h - activity analysis: which expressions gradients depend on -------------------------------------===//
//
// An expression is active where it depends on what gradients are taken by. An operation without a derivative on an
// active operand is an error, unless `stop` around the operand makes it inactive.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

class Gradients {
public:
  Gradients(Reporter &reporter, Builder &build, const EntryContext &context)
      : reporter(reporter), build(build), context(context) {}

  void beginEntry();
  void addArgument(const typed::Local *argument) { arguments.insert(argument); }

  /// Are gradients of the entry point computed?
  bool areTaken() const { return context.isDifferentiated; }
  /// Is a number computed from keys that an attend with active scores has chosen?
  bool dependsOnChosenKeys(typed::ExprRef expr);
  /// Reports an active operand of an operation without a derivative; true where the operand is not active.
  bool passesNoGradient(typed::ExprRef x, SourceRange range, const std::string &what);

private:
  bool isActive(typed::ExprRef expr);
  bool isActiveLocal(const typed::Local *local);

  Reporter &reporter;
  Builder &build;
  const EntryContext &context;
  std::set<const typed::Local *> arguments; ///< of the entry point
  std::unordered_map<typed::ExprRef, bool> activity;
};

} // namespace attnc::check
