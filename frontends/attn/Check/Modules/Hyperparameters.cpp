#include "frontends/attn/Check/Modules/Hyperparameters.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace attnc::check {

static std::optional<Value> parseSetting(const std::string &text) {
  if (text == "true" || text == "false")
    return Value(text == "true");
  int64_t integer;
  const char *end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(text.data(), end, integer);
  if (failure == std::errc() && rest == end)
    return Value(Dim(integer));
  double real;
  auto [realRest, realFailure] = std::from_chars(text.data(), end, real);
  if (realFailure == std::errc() && realRest == end)
    return Value(real);
  return std::nullopt;
}

/// Returns the function or module with that name, such as `Gru`, `nn.GRU` or `tanh`; null if there is none.
static std::optional<Value> namedSetting(Names &names, Scope &scope, const std::string &text) {
  size_t dot = text.find('.');
  std::optional<Value> value = names.find(scope, text.substr(0, dot));
  if (auto *file = value && dot != std::string::npos ? value->as<NamespaceValue>() : nullptr)
    value = names.findItem(*file->unit, text.substr(dot + 1));
  else if (dot != std::string::npos)
    return std::nullopt;
  bool isFunction = value && (value->as<FunctionValue>() || value->as<BuiltinValue>() || value->as<ClassValue>());
  return isFunction ? value : std::nullopt;
}

static void applySettings(Reporter &reporter, Names &items, Scope &scope, const ast::ModuleDecl &decl,
                          const Settings &settings, std::vector<CheckedArgument> &arguments) {
  std::vector<std::string> names;
  for (const ast::Parameter &parameter : decl.parameters)
    names.push_back(parameter.name.text);
  std::map<std::string, std::string> last; // the last setting of a name takes precedence
  for (const auto &[name, text] : settings)
    last[name] = text;
  for (const auto &[name, text] : last) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      Diagnostic &report = reporter.error(DiagnosticKind::UnknownSetting, decl.name.range,
                                          fmt::format("`{}` has no hyperparameter `{}` to set", decl.name.text, name));
      if (auto meant = nearest(name, names))
        report.hint(fmt::format("did you mean `{}`?", *meant));
      continue;
    }
    std::optional<Value> value = parseSetting(text);
    if (!value)
      value = namedSetting(items, scope, text);
    if (!value)
      reporter
          .error(DiagnosticKind::BadSetting, decl.name.range,
                 fmt::format("`{}` is set to `{}`, which is not a number, true or false", name, text))
          .hint("nor is it the name of a function or module of the file");
    arguments.push_back({ast::Name{name, decl.name.range}, value.value_or(Value()), decl.name.range});
  }
}

std::vector<CheckedArgument> modelArguments(Reporter &reporter, Names &names, Scope &scope, const ast::ModuleDecl &decl,
                                            const Settings &settings) {
  std::vector<CheckedArgument> arguments;
  applySettings(reporter, names, scope, decl, settings, arguments);
  for (const ast::Parameter &parameter : decl.parameters) {
    bool isSet = std::any_of(arguments.begin(), arguments.end(), [&](const CheckedArgument &argument) {
      return argument.label->text == parameter.name.text;
    });
    if (isSet || parameter.defaultValue)
      continue;
    reporter
        .error(DiagnosticKind::ArgumentCount, parameter.range,
               fmt::format("the hyperparameter `{}` of the model has no value", parameter.name.text))
        .hint(fmt::format("give it a default, or `--set {}=...`", parameter.name.text));
    arguments.push_back({parameter.name, Value(), parameter.range});
  }
  return arguments;
}

void bindHyperparameters(Reporter &reporter, Scopes &scopes, ExpressionChecker &expressions, Instance &instance,
                         const std::vector<ast::Parameter> &parameters, std::vector<CheckedArgument> arguments,
                         SourceRange call, const std::string &callee) {
  auto matched = matchArguments(reporter, namesOf(parameters), std::move(arguments), call, callee);
  Scope &scope = scopes.moduleScope({&instance, {}});
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &parameter = parameters[i];
    Value value;
    if (matched && (*matched)[i])
      value = (*matched)[i]->value;
    else if (matched && parameter.defaultValue)
      value = expressions.check(*parameter.defaultValue, scope);
    if (auto *size = value.as<Dim>())
      value = Value(size->labelled(parameter.name.text));
    if (value.tensor()) {
      reporter.error(DiagnosticKind::NotConstant, matched && (*matched)[i] ? (*matched)[i]->range : parameter.range,
                     fmt::format("the hyperparameter `{}` must be known when the model is compiled, but is {}",
                                 parameter.name.text, describe(value)));
      value = Value();
    }
    instance.members[parameter.name.text] = Binding{value, parameter.name.range};
  }
}

} // namespace attnc::check
