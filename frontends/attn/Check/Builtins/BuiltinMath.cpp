#include "frontends/attn/Check/Builtins/Builtins.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

namespace {

struct MathFunction {
  const char *name;
  Op op;
  double (*fold)(double);
};

constexpr MathFunction functions[] = {
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR)                                                         \
  {#NAME, Op::OP, [](double x) -> double { return VALUE; }},
#include "frontends/attn/Check/MathFunctions.def"
};

} // namespace

Value builtinMath(const BuiltinCall &call) {
  for (const MathFunction &function : functions) {
    if (std::strcmp(function.name, call.builtin.name) != 0)
      continue;
    if (std::optional<double> number = call[0].value.real())
      return function.fold(*number);
    ExprRef x = call.real(0);
    if (!x || (function.op == Op::Floor && !call.gradients.passesNoGradient(x, call.range, call.what())))
      return Value();
    return TensorValue{call.build.elementwise(function.op, {x}, call.range)};
  }
  return Value();
}

/// Converts the argument to a tensor of numbers.
static ExprRef numeric(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (x && x->type.element == Element::Bool)
    return call.real(0);
  return x;
}

Value builtinAbs(const BuiltinCall &call) {
  if (auto *size = call[0].value.as<Dim>(); size && size->isConstant())
    return size->constant() < 0 ? Value(*size * Dim(-1)) : Value(*size);
  if (std::optional<double> number = call[0].value.real())
    return std::fabs(*number);
  ExprRef x = numeric(call);
  return x ? Value(TensorValue{call.build.elementwise(Op::Abs, {x}, call.range)}) : Value();
}

Value builtinSquare(const BuiltinCall &call) {
  if (auto *size = call[0].value.as<Dim>(); size && !(*size * *size).isSaturated())
    return *size * *size;
  if (std::optional<double> number = call[0].value.real())
    return *number * *number;
  ExprRef x = numeric(call);
  return x ? Value(TensorValue{call.build.elementwise(Op::Mul, {x, x}, call.range)}) : Value();
}

ExprRef sigmoidOf(Builder &build, ExprRef x, SourceRange range) {
  ExprRef zero = build.real(0, range), one = build.real(1, range);
  ExprRef isPositive = build.elementwise(Op::Ge, {x, zero}, range);
  ExprRef minusSize = build.elementwise(Op::Select, {isPositive, build.elementwise(Op::Neg, {x}, range), x}, range);
  ExprRef power = build.elementwise(Op::Exp, {minusSize}, range);
  ExprRef above = build.elementwise(Op::Select, {isPositive, one, power}, range);
  return build.elementwise(Op::Div, {above, build.elementwise(Op::Add, {one, power}, range)}, range);
}

Value builtinSigmoid(const BuiltinCall &call) {
  if (std::optional<double> number = call[0].value.real())
    return 1 / (1 + std::exp(-*number));
  ExprRef x = call.real(0);
  return x ? Value(TensorValue{sigmoidOf(call.build, x, call.range)}) : Value();
}

Value builtinRelu(const BuiltinCall &call) {
  if (std::optional<double> number = call[0].value.real())
    return *number < 0 ? 0.0 : *number; // NaN stays
  ExprRef x = call.real(0);
  return x ? Value(TensorValue{call.build.elementwise(Op::Max, {x, call.build.real(0, call.range)}, call.range)})
           : Value();
}

Value builtinPow(const BuiltinCall &call) {
  std::optional<double> a = call[0].value.real(), b = call[1].value.real();
  if (a && b)
    return std::pow(*a, *b);
  ExprRef x = call.real(0);
  ExprRef y = call.real(1);
  if (!x || !y)
    return Value();
  return call.conversions.elementwise(Op::Pow, {{TensorValue{x}, call[0].range}, {TensorValue{y}, call[1].range}},
                                      call.range, call.what());
}

Value builtinSelect(const BuiltinCall &call) {
  ExprRef condition = call.conversions.asCondition(call[0].value, call[0].range, "the condition");
  if (!condition)
    return Value();
  std::vector<Operand> all = {{TensorValue{condition}, call[0].range}, call.operand(1), call.operand(2)};
  std::vector<ExprRef> tensors =
      call.conversions.agree({all[1], all[2]}, call.range, "the branches", condition->type.rank() > 0);
  if (tensors.empty())
    return Value();
  tensors.insert(tensors.begin(), condition);
  if (!call.conversions.checkBroadcast(tensors, all, call.range, call.what()))
    return Value();
  return TensorValue{call.build.elementwise(Op::Select, std::move(tensors), call.range)};
}

/// Only differentiation distinguishes `stop(x)` from x.
Value builtinStop(const BuiltinCall &call) {
  if (call[0].value.isNumber())
    return call[0].value;
  ExprRef x = call.tensor(0);
  if (!x || x->type.element != Element::F32 || !call.gradients.areTaken())
    return x ? Value(TensorValue{x}) : Value();
  return TensorValue{call.build.elementwise(Op::Stop, {x}, call.range)};
}

/// The function is checked with a variable of differentiation for x; its other operands are constants.
Value builtinGradient(const BuiltinCall &call) {
  ExprRef x = call.real(1);
  if (!x)
    return Value();
  if (call.context.isPositional)
    return call.reporter.notSupported(call.range, "`gradient` in incremental inference");
  if (call.build.isOpen(x))
    return call.reporter.notSupported(call.range, "`gradient` of an element of index notation");
  const Expr *variable = call.lets.bind("", call.build.make(Variable{x}, x->type, call[1].range), call[1].range);
  Value value;
  {
    Gradients::Nested nested(call.gradients, variable->as<LocalRef>()->local);
    std::string name = call.reporter.text(call[0].range);
    value = call.calls.callValue(call[0].value, name, call[0].range, call.range,
                                 {{std::nullopt, TensorValue{variable}, call[1].range}});
  }
  ExprRef result = value.isError() ? nullptr : call.conversions.asReal(value, call[0].range, call.what());
  if (!result)
    return Value();
  if (call.build.isOpen(result))
    return call.reporter.notSupported(call.range, "`gradient` of a function that reads an index around it");
  if (result->type.rank() > 0) {
    call.reporter
        .typeError(DiagnosticKind::DimMismatch, call[0].range,
                   fmt::format("the function returns {}, and a gradient needs one f32", textOf(result->type)))
        .hint("return the sum or the mean of these elements");
    return Value();
  }
  result = call.lets.bind("", result, call[0].range);
  return TensorValue{call.build.make(Gradient{result, variable}, x->type, call.range)};
}

Value builtinCastReal(const BuiltinCall &call) {
  if (std::optional<double> number = call[0].value.real())
    return *number;
  ExprRef x = call.tensor(0);
  if (x && call.gradients.areTaken() && call.gradients.dependsOnChosenKeys(x)) {
    call.reporter
        .error(DiagnosticKind::NoGradient, call.range,
               "no gradient passes through the keys of `top`, which are positions")
        .hint("`top_weights` has one; write `stop(...)` around the score if none is needed");
    return Value();
  }
  return x ? Value(TensorValue{call.build.cast(x, Element::F32)}) : Value();
}

Value builtinCastInteger(const BuiltinCall &call) {
  if (call[0].value.as<Dim>())
    return call[0].value;
  if (std::optional<double> number = call[0].value.real(); number && std::fabs(*number) < 0x1p31)
    return Dim(static_cast<int64_t>(*number));
  ExprRef x = call.tensor(0);
  return x && call.gradients.passesNoGradient(x, call.range, call.what())
             ? Value(TensorValue{call.build.cast(x, Element::I32)})
             : Value();
}

} // namespace attnc::check
