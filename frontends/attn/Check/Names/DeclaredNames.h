//===- DeclaredNames.h - rules of declared names: distinct, and not builtin ---------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Reports repeated names among the items of a file and among the hyperparameters, constants, fields and functions of
/// each of its modules and optimizers, and those of them that have the name of a builtin. Exports are not checked, and
/// used files only for repeated names. Also reports `extern fn`, which is not supported, a second function without a
/// name in a module, and a function without a name outside of modules. unit.ast is free of syntax errors.
void checkNames(Reporter &reporter, const SourceUnit &unit);
/// Returns true if no builtin function or constant has the name. Otherwise reports that the name would hide the
/// builtin, and returns false. `what` begins the message: "the local".
bool checkNotBuiltin(Reporter &reporter, const ast::Name &name, const char *what);
/// Reports parameters of a function that have the same name.
void checkDistinct(Reporter &reporter, const std::vector<ast::Parameter> &parameters);

} // namespace attnc::check
