//===- DeclaredNames.h - rules of declared names ------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Reports repeated names among the items of a file and among the hyperparameters, constants, fields and functions of
/// each of its modules and optimizers. Exports are not checked. Also reports `extern fn`, which is not
/// supported, a second function without a name in a module, and a function without a name outside of modules. unit.ast
/// is free of syntax errors.
void checkNames(Reporter &reporter, const SourceUnit &unit);
/// Reports parameters of a function that have the same name.
void checkDistinct(Reporter &reporter, const std::vector<ast::Parameter> &parameters);

} // namespace attnc::check
