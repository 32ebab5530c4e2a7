#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Builtins.h"
#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

//===- Arguments --------------------------------------------------------------------------------------------------===//

std::vector<CheckedArgument> Checker::checkArguments(const ast::CallExpr &expr, const ScopePtr &scope) {
  std::vector<CheckedArgument> arguments;
  for (const ast::Argument &argument : expr.arguments)
    arguments.push_back({argument.label, expression(*argument.value, scope), argument.value->range});
  return arguments;
}

bool Checker::anyError(const std::vector<CheckedArgument> &arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const CheckedArgument &argument) { return argument.value.isError(); });
}

static std::string signatureOf(const std::vector<ast::Parameter> &parameters, const std::string &callee) {
  std::string text = callee + "(";
  for (const ast::Parameter &parameter : parameters)
    text += (text.back() == '(' ? "" : ", ") + parameter.name.text;
  return text + ")";
}

std::optional<std::vector<std::optional<CheckedArgument>>> Checker::match(const std::vector<ast::Parameter> &parameters,
                                                                          std::vector<CheckedArgument> arguments,
                                                                          SourceRange call, const std::string &callee) {
  std::vector<std::optional<CheckedArgument>> matched(parameters.size());
  size_t errorsBefore = errorsFound, next = 0;
  std::vector<std::string> names;
  for (const ast::Parameter &parameter : parameters)
    names.push_back(parameter.name.text);
  for (CheckedArgument &argument : arguments) {
    size_t place = next;
    if (argument.label) {
      place = static_cast<size_t>(std::find(names.begin(), names.end(), argument.label->text) - names.begin());
      if (place == names.size()) {
        Diagnostic &report = error(DiagnosticKind::UnknownArgument, argument.label->range,
                                   fmt::format("`{}` has no parameter `{}`", callee, argument.label->text));
        if (auto meant = nearest(argument.label->text, names))
          report.hint(fmt::format("did you mean `{}`?", *meant));
        else
          report.hint(signatureOf(parameters, callee));
        continue;
      }
    } else if (next++ >= names.size()) {
      error(DiagnosticKind::ArgumentCount, argument.range,
            fmt::format("`{}` takes {} argument{}, and this is one more", callee, names.size(),
                        names.size() == 1 ? "" : "s"))
          .hint(signatureOf(parameters, callee));
      break;
    }
    if (matched[place])
      error(DiagnosticKind::ArgumentCount, argument.range, fmt::format("`{}` is given twice", names[place]))
          .label(matched[place]->range, "the first");
    else
      matched[place] = std::move(argument);
  }
  for (size_t i = 0; i < parameters.size() && errorsFound == errorsBefore; ++i)
    if (!matched[i] && !parameters[i].defaultValue)
      error(DiagnosticKind::ArgumentCount, call, fmt::format("`{}` is called without `{}`", callee, names[i]))
          .hint(signatureOf(parameters, callee))
          .note("it is declared", parameters[i].range);
  if (errorsFound != errorsBefore)
    return std::nullopt;
  return matched;
}

//===- Calls ------------------------------------------------------------------------------------------------------===//

Value Checker::call(const ast::CallExpr &expr, const ScopePtr &scope) {
  Value callee = expression(*expr.callee, scope);
  std::vector<CheckedArgument> arguments = checkArguments(expr, scope);
  if (callee.isError() || anyError(arguments))
    return Value();
  std::string name(sources.text(expr.callee->range));
  Value result = callValue(callee, name, expr.callee->range, expr.range, arguments);
  recordCall(result, callee, name, arguments);
  return result;
}

void Checker::recordCall(const Value &result, const Value &callee, const std::string &name,
                         const std::vector<CheckedArgument> &arguments) {
  auto *module = callee.as<ModuleValue>();
  auto *function = callee.as<FunctionValue>();
  SourceRange declared = module ? module->instance->field : function ? function->decl->signatureRange : SourceRange();
  if (!declared.valid())
    return;
  if (auto *tuple = result.as<TupleValue>())
    for (const Value &part : tuple->parts)
      recordCall(part, callee, name, arguments);
  typed::ExprRef tensor = result.tensor();
  bool isArgument = std::any_of(arguments.begin(), arguments.end(),
                                [&](const CheckedArgument &argument) { return argument.value.tensor() == tensor; });
  if (tensor && !isArgument)
    origins.addCall(tensor, {name, declared, module != nullptr});
}

Value Checker::callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                         std::vector<CheckedArgument> arguments) {
  if (auto *function = callee.as<FunctionValue>())
    return callFunction(*function, range, std::move(arguments));
  if (auto *lambda = callee.as<LambdaValue>())
    return callLambda(*lambda, range, std::move(arguments));
  if (auto *builtin = callee.as<BuiltinValue>())
    return callBuiltin(*this, *builtin->builtin, range, std::move(arguments));
  if (auto *module = callee.as<ModuleValue>()) {
    for (const ast::FunctionDecl &decl : module->instance->decl->functions)
      if (!decl.name)
        return callFunction({&decl, module->instance->unit, *module}, range, std::move(arguments));
    error(DiagnosticKind::NotCallable, calleeRange,
          fmt::format("the module `{}` has no function without a name, which is what a call means",
                      module->instance->decl->name.text))
        .note("it is declared", module->instance->decl->name.range);
    return Value();
  }
  if (auto *cls = callee.as<ClassValue>()) {
    error(DiagnosticKind::Misplaced, range, fmt::format("the module `{}` is made where it cannot be kept", name))
        .hint(fmt::format("make it a field, `name: {}(...)`, and call that", cls->decl->name.text));
    return Value();
  }
  if (steppedParameter && callee.isNumber()) // a rate that is the same in all steps
    return callee;
  error(DiagnosticKind::NotCallable, calleeRange,
        fmt::format("`{}` is {}, and cannot be called", name, describe(callee)));
  return Value();
}

bool Checker::enterFunction(const FunctionValue &function, SourceRange call) {
  checkDistinct(function.decl->parameters);
  for (const Frame &frame : frames)
    if (frame.function == function.decl && frame.self == function.self.instance) {
      std::string name = function.decl->name ? function.decl->name->text : function.self.instance->decl->name.text;
      error(DiagnosticKind::Recursion, call, fmt::format("`{}` would call itself, without an end", name))
          .note("it is declared", function.decl->signatureRange);
      return false;
    }
  frames.push_back({function.decl, function.self.instance, call});
  return true;
}

Value Checker::callFunction(const FunctionValue &function, SourceRange range, std::vector<CheckedArgument> arguments) {
  const ast::FunctionDecl &decl = *function.decl;
  checkedFunctions.insert(&decl);
  if (decl.isExtern)
    return notSupported(range, "`extern fn`");
  std::string name = decl.name                ? decl.name->text
                     : function.self.instance ? function.self.instance->decl->name.text
                                              : "fn";
  auto matched = match(decl.parameters, std::move(arguments), range, name);
  if (!matched || !enterFunction(function, range))
    return Value();
  ScopePtr scope = childOf(function.self.instance ? moduleScope(function.self) : unitScope(function.unit));
  scope->isFunction = true;
  Value result;
  if (bindParameters(decl, *matched, scope)) {
    warnNearMiss(decl, scope);
    bool returned = false;
    Value value = block(decl.body, childOf(scope), returned);
    SourceRange last = decl.body.statements.empty() ? decl.body.range : decl.body.statements.back()->range;
    result = checkResults(decl, value, last, scope);
  }
  frames.pop_back();
  return result;
}

bool Checker::bindParameters(const ast::FunctionDecl &decl, std::vector<std::optional<CheckedArgument>> &arguments,
                             const ScopePtr &scope) {
  std::vector<LaterDim> later;
  bool fits = true;
  for (size_t i = 0; i < decl.parameters.size(); ++i) {
    const ast::Parameter &parameter = decl.parameters[i];
    if (!arguments[i])
      arguments[i] = CheckedArgument{std::nullopt, expression(*parameter.defaultValue, scope), parameter.range};
    Value value = arguments[i]->value;
    SourceRange range = arguments[i]->range;
    if (value.isError()) {
      fits = false;
      continue;
    }
    if (parameter.type) {
      std::optional<typed::Element> element = elementOf(*parameter.type);
      typed::ExprRef tensor = element ? asTensor(value, range, *element) : nullptr;
      if (!tensor) {
        fits = false;
        continue;
      }
      if (tensor->type.element == typed::Element::Index && *element != typed::Element::Bool)
        tensor = build.cast(tensor, *element);
      if (tensor->type.element != *element) {
        typeError(DiagnosticKind::ElementMismatch, range,
                  fmt::format("the parameter `{}` is {}, and this is {}", parameter.name.text, typed::textOf(*element),
                              typed::textOf(tensor->type.element)))
            .label(typed::textOf(tensor->type))
            .label(parameter.range, "declared here");
        fits = false;
        continue;
      }
      fits &= unify(*parameter.type, tensor, range, scope, later);
      value = TensorValue{tensor};
    }
    checkNotBuiltin(parameter.name, "the parameter");
    scope->names[parameter.name.text] = Binding{bindValue(parameter.name.text, value, range), parameter.name.range};
  }
  return fits && finishUnify(later, scope);
}

Value Checker::checkResults(const ast::FunctionDecl &decl, const Value &value, SourceRange bodyRange,
                            const ScopePtr &scope) {
  if (value.isError() || decl.results.empty())
    return value;
  if (value.as<NothingValue>()) {
    error(DiagnosticKind::MissingResult, bodyRange, "the function has a result, and its body ends without a value")
        .label(decl.results.front().range, "declared here")
        .hint("the last line of a body is its value");
    return Value();
  }
  if (decl.results.size() == 1)
    return conform(value, decl.results[0].type, bodyRange, scope, "the result");
  auto *tuple = value.as<TupleValue>();
  if (!tuple || tuple->parts.size() != decl.results.size()) {
    typeError(DiagnosticKind::ValueCount, bodyRange,
              fmt::format("the function has {} results, and its body makes {}", decl.results.size(), describe(value)))
        .label(decl.results.front().range, "declared here");
    return Value();
  }
  TupleValue results;
  for (size_t i = 0; i < decl.results.size(); ++i)
    results.parts.push_back(conform(tuple->parts[i], decl.results[i].type, bodyRange, scope, "the result"));
  return results;
}

Value Checker::callLambda(const LambdaValue &lambda, SourceRange range, std::vector<CheckedArgument> arguments) {
  const std::vector<ast::Name> &parameters = lambda.lambda->parameters;
  if (arguments.size() != parameters.size()) {
    error(DiagnosticKind::ArgumentCount, range,
          fmt::format("the function takes {} argument{}, and is called with {}", parameters.size(),
                      parameters.size() == 1 ? "" : "s", arguments.size()))
        .note("it is written", lambda.lambda->range);
    return Value();
  }
  ScopePtr scope = childOf(lambda.scope);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (arguments[i].label)
      error(DiagnosticKind::UnknownArgument, arguments[i].label->range,
            "a function written in place has no named parameters");
    bindLocal(scope, parameters[i], bindValue(parameters[i].text, arguments[i].value, arguments[i].range), false);
  }
  return expression(*lambda.lambda->body, scope);
}

} // namespace attnc::check
