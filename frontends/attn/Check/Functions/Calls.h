//===- Calls.h - calls of functions, modules, lambdas, builtins and decoders --------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builtins/Builtins.h"
#include "frontends/attn/Check/Functions/DecoderCalls.h"
#include "frontends/attn/Check/Functions/FunctionBodies.h"

namespace attnc::check {

/// Checker of calls. A call of a function is inlined: the body of the function is checked with its parameters bound to
/// the arguments, and its statements are added to the current block. Errors are reported; a call without a valid value
/// returns an ErrorValue, and a call of a function without a result a NothingValue.
class Calls : public CallChecker {
public:
  Calls(Reporter &reporter, LetBuilder &lets, Origins &origins, CallStack &stack, Scopes &scopes, Names &names,
        DeclaredTypes &types, Conversions &conversions, FunctionBodies &bodies, DecoderCalls &decoders,
        const EntryContext &context, const BuiltinServices &services, ExpressionChecker &expressions)
      : reporter(reporter), lets(lets), origins(origins), stack(stack), scopes(scopes), names(names), types(types),
        conversions(conversions), bodies(bodies), decoders(decoders), context(context), services(services),
        expressions(expressions) {}

  /// Checks callee and arguments of a call, and returns the value of the call.
  Value call(const ast::CallExpr &expr, Scope &scope);
  Value callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                  std::vector<CheckedArgument> arguments) override;

private:
  Value callFunction(const FunctionValue &function, SourceRange range, std::vector<CheckedArgument> arguments);
  Value callModule(const ModuleValue &module, SourceRange calleeRange, SourceRange range,
                   std::vector<CheckedArgument> arguments);
  Value callLambda(const LambdaValue &lambda, SourceRange range, std::vector<CheckedArgument> arguments);
  /// Binds the parameters to the arguments or their defaults, and the dimensions in their types. False after an error.
  bool bindParameters(const ast::FunctionDecl &decl, std::vector<std::optional<CheckedArgument>> &arguments,
                      Scope &scope);
  /// Records a called module or function as the origin of the call's results, for notes in shape errors.
  void recordCall(const Value &result, const Value &callee, const std::string &name,
                  const std::vector<CheckedArgument> &arguments);

  Reporter &reporter;
  LetBuilder &lets;
  Origins &origins;
  CallStack &stack;
  Scopes &scopes;
  Names &names;
  DeclaredTypes &types;
  Conversions &conversions;
  FunctionBodies &bodies;
  DecoderCalls &decoders;
  const EntryContext &context;
  const BuiltinServices &services;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
