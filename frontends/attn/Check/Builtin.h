//===- Builtin.h - builtin functions and constants ----------------------------------------------------------------===//
//
// The table of builtin functions of the language, such as `sum` and `exp`: the type of its rows, and lookup by name.
// The rows are in Builtins/Builtins.cpp; Builtins/Builtins.h declares their rules, which check calls.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

#include <span>

namespace attnc::check {

struct BuiltinCall;

/// A builtin function: a row of the table, which is constant.
struct Builtin {
  const char *name;
  const char *signature; ///< for messages and the language reference: "sum(x, axis: n)"
  const char *doc;
  size_t least, most;                     ///< smallest and largest number of arguments without labels
  bool takesAxis;                         ///< an argument with the label `axis:` is allowed
  Value (*rule)(const BuiltinCall &call); ///< checks a call and returns its value, an ErrorValue after an error
};

/// Returns the table.
std::span<const Builtin> builtins();
/// Returns the function with that name; null if there is none.
const Builtin *findBuiltin(const std::string &name);
/// Returns the value of `inf`, `pi` or `training`; null for other names. The value of `training` is false here; in a
/// training step, Names::find returns true instead.
std::optional<Value> builtinConstant(const std::string &name);

} // namespace attnc::check
