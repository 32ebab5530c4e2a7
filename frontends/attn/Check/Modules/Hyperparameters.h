//===- Hyperparameters.h - hyperparameters of modules and their values --------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Arguments.h"
#include "frontends/attn/Check/Names/Names.h"

namespace attnc::check {

/// Names and values of hyperparameters of the model, as in `--set layers=12`; the last of several values of a name
/// counts.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Returns the settings as arguments, with labels, of the model's instantiation: numbers, booleans, and functions and
/// modules by the names that `scope`, that of the file, has for them. Reports settings that are unknown or of another
/// kind, and hyperparameters without a setting and a default, which become ErrorValues.
std::vector<CheckedArgument> modelArguments(Reporter &reporter, Names &names, Scope &scope, const ast::ModuleDecl &decl,
                                            const Settings &settings);

/// Binds the arguments, and defaults for omitted ones, as members of the instance; after an error, ErrorValues. Reports
/// arguments that do not match `parameters`, and tensors. `call` and `callee` are for messages.
void bindHyperparameters(Reporter &reporter, Scopes &scopes, ExpressionChecker &expressions, Instance &instance,
                         const std::vector<ast::Parameter> &parameters, std::vector<CheckedArgument> arguments,
                         SourceRange call, const std::string &callee);

} // namespace attnc::check
