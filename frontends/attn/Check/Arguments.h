//===- Arguments.h - arguments of calls and the parameters that they match ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// A checked argument of a call.
struct CheckedArgument {
  std::optional<ast::Name> label;
  Value value;
  SourceRange range;
};

std::vector<CheckedArgument> checkArguments(ExpressionChecker &expressions, const ast::CallExpr &expr, Scope &scope);
bool anyError(const std::vector<CheckedArgument> &arguments);

/// Returns the arguments in the order of the parameters; reports missing, surplus and unknown ones. An argument whose
/// parameter has a default may be empty.
std::optional<std::vector<std::optional<CheckedArgument>>> matchArguments(Reporter &reporter,
                                                                          const std::vector<ast::Parameter> &parameters,
                                                                          std::vector<CheckedArgument> arguments,
                                                                          SourceRange call, const std::string &callee);

} // namespace attnc::check
