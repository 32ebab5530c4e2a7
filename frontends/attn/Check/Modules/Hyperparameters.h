//===- Hyperparameters.h - hyperparameters of modules and their values --------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Arguments.h"
#include "frontends/attn/Check/Names/Names.h"

namespace attnc::check {

/// Names and values, as text, of hyperparameters of the model, as in `--set layers=12`. The last of several values of a
/// name counts.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Returns the settings as arguments for the instantiation of the model `decl`, one for each name, labelled by it. A
/// text is a number, true or false, or the name of a function, builtin function or module that lookup in `scope`, the
/// scope of the file, finds; `nn.GRU` names an item of a used file. Reports a name that is no hyperparameter, which is
/// omitted; a text of another kind; and a hyperparameter with neither a setting nor a default. The last two become
/// arguments with an ErrorValue.
std::vector<CheckedArgument> modelArguments(Reporter &reporter, Names &names, Scope &scope, const ast::ModuleDecl &decl,
                                            const Settings &settings);

/// Binds each of `parameters` as a member of the instance: to its argument, or to the value of its default, which is
/// evaluated in the scope of the instance. Reports a value that is a tensor; the member is then an ErrorValue. Reports
/// arguments that do not match `parameters`; all members are then ErrorValues. `call` is the range of the instantiation
/// and `callee` the name of the module in messages.
void bindHyperparameters(Reporter &reporter, Scopes &scopes, ExpressionChecker &expressions, Instance &instance,
                         const std::vector<ast::Parameter> &parameters, std::vector<CheckedArgument> arguments,
                         SourceRange call, const std::string &callee);

} // namespace attnc::check
