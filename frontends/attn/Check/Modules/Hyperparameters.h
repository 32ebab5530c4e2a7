//===- Hyperparameters.h - hyperparameters of modules and their values --------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Arguments.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

/// Hyperparameters of the model that the caller of the compiler sets, as in `--set layers=12`.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Returns the arguments of the model's instantiation: its settings. Reports hyperparameters without a value.
std::vector<CheckedArgument> modelArguments(Reporter &reporter, const ast::ModuleDecl &decl, const Settings &settings);

/// Binds the arguments, and defaults for omitted ones, as members of the instance.
void bindHyperparameters(Reporter &reporter, Scopes &scopes, ExpressionChecker &expressions, Instance &instance,
                         const std::vector<ast::Parameter> &parameters, std::vector<CheckedArgument> arguments,
                         SourceRange call, const std::string &callee);

} // namespace attnc::check
