#include "frontends/attn/Check/Value.h"

#include <fmt/format.h>

namespace attnc::check {

std::optional<double> Value::real() const {
  if (auto *size = as<Dim>())
    return size->isConstant() ? std::optional<double>(static_cast<double>(size->constant())) : std::nullopt;
  if (auto *number = as<double>())
    return *number;
  return std::nullopt;
}

std::string describe(const Value &value) {
  struct Describe {
    std::string operator()(const ErrorValue &) { return "an error"; }
    std::string operator()(const NothingValue &) { return "nothing"; }
    std::string operator()(const Dim &size) { return size.isConstant() ? "a number" : "a size"; }
    std::string operator()(double) { return "a number"; }
    std::string operator()(bool) { return "true or false"; }
    std::string operator()(const StringValue &) { return "a text"; }
    std::string operator()(const TensorValue &tensor) { return typed::textOf(tensor.expr->type); }
    std::string operator()(const TupleValue &tuple) { return fmt::format("{} values", tuple.parts.size()); }
    std::string operator()(const ParameterValue &value) { return typed::textOf(value.parameter->type); }
    std::string operator()(const ModuleValue &module) {
      return fmt::format("the module `{}`", module.instance->decl->name.text);
    }
    std::string operator()(const ModuleListValue &) { return "a list of modules"; }
    std::string operator()(const FunctionValue &function) {
      return function.decl->name ? fmt::format("the function `{}`", function.decl->name->text) : "a function";
    }
    std::string operator()(const LambdaValue &) { return "a function"; }
    std::string operator()(const BuiltinValue &) { return "a builtin function"; }
    std::string operator()(const ClassValue &cls) {
      return fmt::format("the module `{}`, not yet created", cls.decl->name.text);
    }
    std::string operator()(const OptimizerValue &value) {
      return fmt::format("the optimizer `{}`", value.decl->name.text);
    }
    std::string operator()(const DecoderValue &value) {
      return fmt::format("the entry point `{}`, made by `decode`", value.entry);
    }
    std::string operator()(const NamespaceValue &unit) { return fmt::format("the file `{}`", unit.unit->name); }
  };
  return std::visit(Describe(), value.node);
}

} // namespace attnc::check
