//===- DeclaredNames.h - rules of declared names: distinct, and not builtin ---------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Reports repeated names, and names of builtins, among the items of a file and the members of its modules. Also
/// reports `extern fn`, which is not supported, and a function without a name outside of modules.
void checkNames(Reporter &reporter, const SourceUnit &unit);
/// Returns whether a name is none of a builtin; reports one that would hide a builtin. `what` begins the message: "the
/// local".
bool checkNotBuiltin(Reporter &reporter, const ast::Name &name, const char *what);
/// Reports parameters with the same name.
void checkDistinct(Reporter &reporter, const std::vector<ast::Parameter> &parameters);

} // namespace attnc::check
