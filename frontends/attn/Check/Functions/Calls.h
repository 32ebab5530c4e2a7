//===- Calls.h - calls of functions, modules, lambdas and builtins ------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builtins/Builtins.h"
#include "frontends/attn/Check/Functions/FunctionBodies.h"

namespace attnc::check {

class Calls {
public:
  Calls(Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins, CallStack &stack, Scopes &scopes,
        Names &names, DeclaredTypes &types, Conversions &conversions, FunctionBodies &bodies,
        const EntryContext &context, const BuiltinServices &services, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), origins(origins), stack(stack), scopes(scopes), names(names),
        types(types), conversions(conversions), bodies(bodies), context(context), services(services),
        expressions(expressions) {}

  Value call(const ast::CallExpr &expr, Scope &scope);
  /// Calls a value; `name` is the callee as in source.
  Value callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                  std::vector<CheckedArgument> arguments);

private:
  Value callFunction(const FunctionValue &function, SourceRange range, std::vector<CheckedArgument> arguments);
  Value callModule(const ModuleValue &module, SourceRange calleeRange, SourceRange range,
                   std::vector<CheckedArgument> arguments);
  Value callLambda(const LambdaValue &lambda, SourceRange range, std::vector<CheckedArgument> arguments);
  bool bindParameters(const ast::FunctionDecl &decl, std::vector<std::optional<CheckedArgument>> &arguments,
                      Scope &scope);
  /// Converts an argument to a tensor of its parameter's element type.
  typed::ExprRef typedArgument(const ast::Parameter &parameter, const Value &value, SourceRange range);
  /// Records the callee as the origin of the call's results.
  void recordCall(const Value &result, const Value &callee, const std::string &name,
                  const std::vector<CheckedArgument> &arguments);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Origins &origins;
  CallStack &stack;
  Scopes &scopes;
  Names &names;
  DeclaredTypes &types;
  Conversions &conversions;
  FunctionBodies &bodies;
  const EntryContext &context;
  const BuiltinServices &services;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
