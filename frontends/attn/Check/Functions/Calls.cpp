#include "frontends/attn/Check/Functions/Calls.h"

#include "frontends/attn/Check/Builtin.h"
#include "frontends/attn/Check/Types/Unifier.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

Value Calls::call(const ast::CallExpr &expr, Scope &scope) {
  Value callee = expressions.check(*expr.callee, scope);
  std::vector<CheckedArgument> arguments = checkArguments(expressions, expr, scope);
  if (callee.isError() || anyError(arguments))
    return Value();
  std::string name = reporter.text(expr.callee->range);
  Value result = callValue(callee, name, expr.callee->range, expr.range, arguments);
  recordCall(result, callee, name, arguments);
  return result;
}

void Calls::recordCall(const Value &result, const Value &callee, const std::string &name,
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

Value Calls::callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                       std::vector<CheckedArgument> arguments) {
  if (auto *function = callee.as<FunctionValue>())
    return callFunction(*function, range, std::move(arguments));
  if (auto *lambda = callee.as<LambdaValue>())
    return callLambda(*lambda, range, std::move(arguments));
  if (auto *builtin = callee.as<BuiltinValue>())
    return callBuiltin(services, *builtin->builtin, range, std::move(arguments));
  if (auto *module = callee.as<ModuleValue>())
    return callModule(*module, calleeRange, range, std::move(arguments));
  if (auto *decoder = callee.as<DecoderValue>())
    return decoders.call(*decoder, range, std::move(arguments));
  if (auto *cls = callee.as<ClassValue>()) {
    reporter
        .error(DiagnosticKind::Misplaced, range,
               fmt::format("the module `{}` is created where it cannot be stored", name))
        .hint(fmt::format("make it a field, `name: {}(...)`, and call that", cls->decl->name.text));
    return Value();
  }
  if (context.steppedParameter && callee.isNumber()) // a rate that is constant over training steps
    return callee;
  Diagnostic &report = reporter.error(DiagnosticKind::NotCallable, calleeRange,
                                      fmt::format("`{}` is {}, and cannot be called", name, describe(callee)));
  if (findBuiltin(name))
    report.hint(fmt::format("this `{}` hides the builtin of that name", name));
  return Value();
}

Value Calls::callModule(const ModuleValue &module, SourceRange calleeRange, SourceRange range,
                        std::vector<CheckedArgument> arguments) {
  for (const ast::FunctionDecl &decl : module.instance->decl->functions)
    if (!decl.name)
      return callFunction({&decl, module.instance->unit, module}, range, std::move(arguments));
  reporter
      .error(DiagnosticKind::NotCallable, calleeRange,
             fmt::format("the module `{}` has no unnamed function to call", module.instance->decl->name.text))
      .note("it is declared", module.instance->decl->name.range);
  return Value();
}

Value Calls::callFunction(const FunctionValue &function, SourceRange range, std::vector<CheckedArgument> arguments) {
  const ast::FunctionDecl &decl = *function.decl;
  stack.markReached(decl);
  if (decl.isExtern)
    return reporter.notSupported(range, "`extern fn`");
  std::string name = decl.name                ? decl.name->text
                     : function.self.instance ? function.self.instance->decl->name.text
                                              : "fn";
  auto matched = matchArguments(reporter, namesOf(decl.parameters), std::move(arguments), range, name);
  if (!matched || !bodies.enter(function, range))
    return Value();
  Scope &scope = scopes.functionScope(function);
  Value result = bindParameters(decl, *matched, scope) ? bodies.check(decl, scope) : Value();
  bodies.leave();
  return result;
}

bool Calls::bindParameters(const ast::FunctionDecl &decl, std::vector<std::optional<CheckedArgument>> &arguments,
                           Scope &scope) {
  Unifier unifier(reporter, origins, names, types, scope);
  bool fits = true;
  for (size_t i = 0; i < decl.parameters.size(); ++i) {
    const ast::Parameter &parameter = decl.parameters[i];
    if (!arguments[i])
      arguments[i] = CheckedArgument{std::nullopt, expressions.check(*parameter.defaultValue, scope), parameter.range};
    Value value = arguments[i]->value;
    SourceRange range = arguments[i]->range;
    if (!value.isError() && parameter.type) {
      std::optional<typed::Element> element = types.elementOf(*parameter.type);
      typed::ExprRef tensor =
          element ? conversions.asArgument(value, range, *element, parameter.name.text, parameter.range) : nullptr;
      fits &= tensor && unifier.unify(*parameter.type, tensor, range);
      value = tensor ? Value(TensorValue{tensor}) : Value();
    }
    if (value.isError()) {
      fits = false;
      continue;
    }
    scope.names[parameter.name.text] =
        Binding{bindValue(lets, origins, parameter.name.text, value, range), parameter.name.range};
  }
  return fits && unifier.finish();
}

Value Calls::callLambda(const LambdaValue &lambda, SourceRange range, std::vector<CheckedArgument> arguments) {
  const std::vector<ast::Name> &parameters = lambda.lambda->parameters;
  if (arguments.size() != parameters.size()) {
    reporter
        .error(DiagnosticKind::ArgumentCount, range,
               fmt::format("the function takes {} argument{}, but is called with {}", parameters.size(),
                           parameters.size() == 1 ? "" : "s", arguments.size()))
        .note("it is written", lambda.lambda->range);
    return Value();
  }
  Scope &scope = scopes.childOf(*lambda.scope);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (arguments[i].label)
      reporter.error(DiagnosticKind::UnknownArgument, arguments[i].label->range,
                     "a function written in place has no named parameters");
    scopes.bindLocal(scope, parameters[i],
                     bindValue(lets, origins, parameters[i].text, arguments[i].value, arguments[i].range), false);
  }
  return expressions.check(*lambda.lambda->body, scope);
}

} // namespace attnc::check
