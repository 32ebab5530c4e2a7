//===- DeclaredNames.h - rules of declared names: distinct, and none of a builtin ---------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Reports names of a file's items, and of the members of its modules, that are repeated or those of builtins.
void checkNames(Reporter &reporter, const SourceUnit &unit);
/// Reports a name that would hide a builtin.
bool checkNotBuiltin(Reporter &reporter, const ast::Name &name, const char *what);
/// Reports parameters with the same name.
void checkDistinct(Reporter &reporter, const std::vector<ast::Parameter> &parameters);

} // namespace attnc::check
