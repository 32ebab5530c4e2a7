//===- Arguments.h - arguments of calls and the parameters that they match ----------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// An argument of a call, with the value that the checker has computed for it.
struct CheckedArgument {
  std::optional<ast::Name> label; ///< the name of a named argument, `axis` in `sum(x, axis: 0)`; null without a name
  Value value;
  SourceRange range;
};

/// Checks the arguments of a call in `scope`, and returns them in source order. The value of an erroneous argument,
/// which is reported, is an ErrorValue.
std::vector<CheckedArgument> checkArguments(ExpressionChecker &expressions, const ast::CallExpr &expr, Scope &scope);
/// True if an argument is an ErrorValue.
bool anyError(const std::vector<CheckedArgument> &arguments);

/// The name of a parameter of a function, module or decoder.
struct ParameterName {
  std::string text;
  SourceRange range; ///< the declaration
  bool hasDefault = false;
};
std::vector<ParameterName> namesOf(const std::vector<ast::Parameter> &parameters);

/// Assigns the arguments of a call to parameters. An argument with a label belongs to the parameter of that name; the
/// n-th argument without a label belongs to the n-th parameter. Returns one element for each parameter, in their order;
/// the element is null if the argument is omitted and the parameter has a default. Returns null, with an error, if an
/// argument is missing, surplus, repeated or unknown. `call` is the range of a missing argument's error; `callee` is
/// the name of the callee in messages.
std::optional<std::vector<std::optional<CheckedArgument>>> matchArguments(Reporter &reporter,
                                                                          const std::vector<ParameterName> &parameters,
                                                                          std::vector<CheckedArgument> arguments,
                                                                          SourceRange call, const std::string &callee);

} // namespace attnc::check
