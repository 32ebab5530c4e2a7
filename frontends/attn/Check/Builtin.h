//===- Builtin.h - builtin functions and constants ----------------------------------------------------------------===//
//
// The rows of the table of functions are in Builtins/Builtins.cpp, beside the rules.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

#include <span>

namespace attnc::check {

struct BuiltinCall;

/// A builtin function: a row of the table.
struct Builtin {
  const char *name;
  const char *signature; ///< for messages and the language reference: "sum(x, axis: n)"
  const char *doc;
  size_t least, most;                     ///< number of arguments without labels
  bool takesAxis;                         ///< a label `axis:` is allowed
  Value (*rule)(const BuiltinCall &call); ///< returns the value of a call, an ErrorValue after an error
};

std::span<const Builtin> builtins();
/// Returns the function with that name; null if there is none.
const Builtin *findBuiltin(const std::string &name);
bool isBuiltinConstant(const std::string &name);
/// Returns the value of `inf`, `pi` or `training`; null for other names. `training` is false: Names returns its value
/// in a training step.
std::optional<Value> builtinConstant(const std::string &name);

} // namespace attnc::check
