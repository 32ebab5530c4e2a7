#include "frontends/attn/Check/Builtins/Builtins.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

/// Returns the axes of `axis: n` or `axis: [m, n]`, sorted; all axes without a label.
static std::optional<std::vector<unsigned>> axesOf(const BuiltinCall &call, size_t rank) {
  std::vector<unsigned> axes;
  if (!call.axis) {
    for (unsigned axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
    return axes;
  }
  std::vector<Value> written = {call.axis->value};
  if (auto *list = call.axis->value.as<TupleValue>())
    written = list->parts;
  for (const Value &value : written) {
    std::optional<unsigned> axis = axisOf(call, value, call.axis->range, rank);
    if (!axis)
      return std::nullopt;
    axes.push_back(*axis);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

static ExprRef mean(const BuiltinCall &call, ExprRef x, const std::vector<unsigned> &axes) {
  Builder &build = call.build;
  Dim count(1);
  for (unsigned axis : axes)
    count = count * x->type.shape[axis];
  for (unsigned axis : axes)
    call.bodies.requireNonEmptyMean(x->type.shape[axis]);
  ExprRef total = build.reduceAxes(Combiner::Add, x, axes, call.range);
  return build.elementwise(Op::Div, {total, build.cast(build.size(count, call.range), Element::F32)}, call.range);
}

Value builtinReduce(const BuiltinCall &call) {
  std::string name = call.builtin.name;
  bool isLogical = name == "any" || name == "all", isPlace = name == "argmax" || name == "argmin";
  ExprRef x = isLogical        ? call.conversions.asCondition(call[0].value, call[0].range, call.what())
              : name == "mean" ? call.real(0)
                               : call.tensor(0);
  if (!x)
    return Value();
  std::optional<std::vector<unsigned>> axes = axesOf(call, x->type.rank());
  if (!axes)
    return Value();
  if (isPlace && axes->size() != 1) {
    call.reporter.error(DiagnosticKind::ArgumentCount, call.range, fmt::format("`{}` is along one dimension", name))
        .label(call[0].range, textOf(x->type))
        .hint(call.builtin.signature);
    return Value();
  }
  if (isPlace && !call.gradients.passesNoGradient(x, call.range, call.what()))
    return Value();
  if (name == "mean")
    return TensorValue{mean(call, x, *axes)};
  if (x->type.element == Element::Bool && !isLogical) {
    if (name != "sum")
      return call.conversions.asReal(TensorValue{x}, call[0].range, call.what()) ? Value() : Value();
    x = call.build.cast(x, Element::I32);
  }
  static const std::map<std::string, Combiner> combiners = {
      {"sum", Combiner::Add}, {"prod", Combiner::Mul}, {"max", Combiner::Max},       {"min", Combiner::Min},
      {"any", Combiner::Or},  {"all", Combiner::And},  {"argmax", Combiner::ArgMax}, {"argmin", Combiner::ArgMin}};
  return TensorValue{call.build.reduceAxes(combiners.at(name), x, *axes, call.range)};
}

Value builtinExtremum(const BuiltinCall &call) {
  if (call.arguments.size() == 1)
    return builtinReduce(call);
  if (call.axis) {
    call.reporter
        .error(DiagnosticKind::UnknownArgument, call.axis->range,
               fmt::format("{} of two values has no axis", call.what()))
        .hint(call.builtin.signature);
    return Value();
  }
  bool isMax = call.what() == "`max`";
  auto *m = call[0].value.as<Dim>(), *n = call[1].value.as<Dim>();
  if (m && n && m->isConstant() && n->isConstant())
    return (m->constant() < n->constant()) == isMax ? *n : *m;
  std::optional<double> a = call[0].value.real(), b = call[1].value.real();
  if (a && b)
    return std::isnan(*a) ? *a : std::isnan(*b) ? *b : (*a < *b) == isMax ? *b : *a;
  for (const CheckedArgument &argument : call.arguments)
    if (const Expr *tensor = argument.value.tensor(); tensor && tensor->type.element == Element::Bool) {
      call.conversions.asReal(argument.value, argument.range, call.what());
      return Value();
    }
  return call.conversions.elementwise(isMax ? Op::Max : Op::Min, {call.operand(0), call.operand(1)}, call.range,
                                      call.what());
}

/// Reports a scalar argument if a row is required.
static bool checkRow(const BuiltinCall &call, ExprRef x, size_t i) {
  if (x->type.rank() > 0)
    return true;
  call.reporter
      .typeError(DiagnosticKind::RankMismatch, call[i].range,
                 fmt::format("{} needs a row, but this is a single number", call.what()))
      .label(textOf(x->type));
  return false;
}

Value builtinDot(const BuiltinCall &call) {
  ExprRef a = call.real(0);
  ExprRef b = call.real(1);
  if (!a || !b || !checkRow(call, a, 0) || !checkRow(call, b, 1))
    return Value();
  const Dim &left = a->type.shape.back(), &right = b->type.shape.back();
  if (left != right) {
    Diagnostic &report = call.reporter.dimMismatch(call[0].range, "contracted dimensions differ", left, right);
    report.label(textOf(a->type)).label(call[1].range, textOf(b->type));
    call.origins.note(report, a, call[0].range, left);
    call.origins.note(report, b, call[1].range, right);
    return Value();
  }
  Value product = call.conversions.elementwise(
      Op::Mul, {{TensorValue{a}, call[0].range}, {TensorValue{b}, call[1].range}}, call.range, call.what());
  if (!product.tensor())
    return Value();
  auto last = static_cast<unsigned>(product.tensor()->type.rank() - 1);
  return TensorValue{call.build.reduceAxes(Combiner::Add, product.tensor(), {last}, call.range)};
}

Value builtinNorm(const BuiltinCall &call) {
  Builder &build = call.build;
  ExprRef x = call.real(0);
  if (!x || !checkRow(call, x, 0))
    return Value();
  ExprRef squares = build.elementwise(Op::Mul, {x, x}, call.range);
  ExprRef total = build.reduceAxes(Combiner::Add, squares, {static_cast<unsigned>(x->type.rank() - 1)}, call.range);
  return TensorValue{build.elementwise(Op::Sqrt, {total}, call.range)};
}

} // namespace attnc::check
