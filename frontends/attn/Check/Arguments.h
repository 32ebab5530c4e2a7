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

/// Checks the arguments of a call, in source order. An erroneous one is an ErrorValue.
std::vector<CheckedArgument> checkArguments(ExpressionChecker &expressions, const ast::CallExpr &expr, Scope &scope);
/// True if an argument is an ErrorValue.
bool anyError(const std::vector<CheckedArgument> &arguments);

/// The name of a parameter and its declaration.
struct ParameterName {
  std::string text;
  SourceRange range;
  bool hasDefault = false;
};
std::vector<ParameterName> namesOf(const std::vector<ast::Parameter> &parameters);

/// Returns one element for each parameter, in their order: the argument with its label, or the next one without a
/// label; null for an omitted argument whose parameter has a default. Null, with an error, if an argument is missing,
/// surplus, repeated or unknown. `callee` is the name in messages.
std::optional<std::vector<std::optional<CheckedArgument>>> matchArguments(Reporter &reporter,
                                                                          const std::vector<ParameterName> &parameters,
                                                                          std::vector<CheckedArgument> arguments,
                                                                          SourceRange call, const std::string &callee);

} // namespace attnc::check
