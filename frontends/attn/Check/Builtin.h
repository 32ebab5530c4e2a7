//===- Builtin.h - the table of builtin functions and constants ---------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

#include <span>

namespace attnc::check {

struct BuiltinCall;

struct Builtin {
  const char *name;
  const char *signature;
  const char *doc;
  size_t least, most; ///< number of arguments without labels
  bool takesAxis;
  Value (*rule)(const BuiltinCall &call);
};

std::span<const Builtin> builtins();
const Builtin *findBuiltin(const std::string &name);
bool isBuiltinConstant(const std::string &name);
/// Returns `inf`, `pi` or `training`; null for other names.
std::optional<Value> builtinConstant(const std::string &name);

} // namespace attnc::check
