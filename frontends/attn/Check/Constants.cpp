#include "frontends/attn/Check/Checker.h"

#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using ast::BinaryOp;

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
      return fmt::format("the module `{}`, not yet made", cls.decl->name.text);
    }
    std::string operator()(const OptimizerValue &value) {
      return fmt::format("the optimizer `{}`", value.decl->name.text);
    }
    std::string operator()(const NamespaceValue &unit) { return fmt::format("the file `{}`", unit.unit->name); }
  };
  return std::visit(Describe(), value.node);
}

//===- Integers and sizes -----------------------------------------------------------------------------------------===//

static std::string nameOrValue(const Dim &dim) {
  return dim.getLabel().empty() || dim.getLabel() == dim.text() ? dim.text()
                                                                : fmt::format("`{}` = {}", dim.getLabel(), dim.text());
}

Value Checker::divideSizes(const ast::BinaryExpr &expr, const Dim &a, const Dim &b) {
  if (b.is(0)) {
    error(DiagnosticKind::InexactDivision, expr.range, fmt::format("{} is divided by zero", nameOrValue(a)));
    return Value();
  }
  if (std::optional<Dim> quotient = a.dividedBy(b))
    return *quotient;
  error(DiagnosticKind::InexactDivision, expr.range,
        fmt::format("{} is not divisible by {}", nameOrValue(a), nameOrValue(b)))
      .hint("a division of sizes must be exact; a quotient with a fraction is `1.0 * a / b`");
  return Value();
}

static std::optional<Dim> power(const Dim &base, const Dim &exponent) {
  if (!exponent.isConstant() || exponent.constant() < 0 || exponent.constant() > 62)
    return std::nullopt;
  Dim result(1);
  for (int64_t i = 0; i < exponent.constant(); ++i)
    result = result * base;
  return result;
}

static std::optional<bool> compare(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Ge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

static int64_t floorMod(int64_t a, int64_t b) {
  int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static std::optional<Value> foldReals(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return Value(a + b);
  case BinaryOp::Sub:
    return Value(a - b);
  case BinaryOp::Mul:
    return Value(a * b);
  case BinaryOp::Div:
    return Value(a / b);
  case BinaryOp::Pow:
    return Value(std::pow(a, b));
  case BinaryOp::Mod:
    return Value(a - b * std::floor(a / b));
  default:
    if (std::optional<bool> truth = compare(op, a, b))
      return Value(*truth);
    return std::nullopt;
  }
}

Value Checker::wholeNumber(const ast::BinaryExpr &expr, const Dim &result) {
  if (!result.isSaturated())
    return result;
  error(DiagnosticKind::BadSize, expr.range, "this number is beyond 64 bits");
  return Value();
}

std::optional<Value> Checker::foldBinary(const ast::BinaryExpr &expr, const Value &a, const Value &b) {
  if (!a.isNumber() || !b.isNumber())
    return std::nullopt;
  auto *p = a.as<bool>(), *q = b.as<bool>();
  if (p && q) {
    if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
      return Value(expr.op == BinaryOp::And ? *p && *q : *p || *q);
    if (std::optional<bool> truth = compare(expr.op, *p, *q))
      return Value(*truth);
  }
  auto *m = a.as<Dim>(), *n = b.as<Dim>();
  if (m && n) {
    bool areConstant = m->isConstant() && n->isConstant();
    switch (expr.op) {
    case BinaryOp::Add:
      return wholeNumber(expr, *m + *n);
    case BinaryOp::Sub:
      return wholeNumber(expr, *m - *n);
    case BinaryOp::Mul:
      return wholeNumber(expr, *m * *n);
    case BinaryOp::Div:
      return divideSizes(expr, *m, *n);
    case BinaryOp::Pow:
      if (std::optional<Dim> result = power(*m, *n))
        return wholeNumber(expr, *result);
      break;
    case BinaryOp::Mod:
      if (areConstant && n->constant() != 0)
        return Value(Dim(floorMod(m->constant(), n->constant())));
      break;
    default:
      if (*m == *n && compare(expr.op, 0, 0))
        return Value(*compare(expr.op, 0, 0));
      break;
    }
  }
  std::optional<double> x = a.real(), y = b.real();
  return x && y ? foldReals(expr.op, *x, *y) : std::nullopt;
}

std::optional<Value> Checker::foldUnary(const ast::UnaryExpr &expr, const Value &a) {
  if (expr.op == ast::UnaryOp::Not && a.as<bool>())
    return Value(!*a.as<bool>());
  if (expr.op != ast::UnaryOp::Negate)
    return std::nullopt;
  if (auto *size = a.as<Dim>())
    return Value(*size * Dim(-1));
  if (auto *real = a.as<double>())
    return Value(-*real);
  return std::nullopt;
}

std::optional<Dim> Checker::asSize(const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  if (auto *size = value.as<Dim>())
    return *size;
  error(DiagnosticKind::NotConstant, range, fmt::format("a size must be an integer, and this is {}", describe(value)));
  return std::nullopt;
}

std::optional<int64_t> Checker::asInteger(const Value &value, SourceRange range, const char *what) {
  if (value.isError())
    return std::nullopt;
  auto *size = value.as<Dim>();
  if (size && size->isConstant())
    return size->constant();
  std::string found = size ? fmt::format("the size `{}`, which varies", size->text()) : describe(value);
  error(DiagnosticKind::NotConstant, range,
        fmt::format("{} must be an integer that is known when the model is compiled, and is {}", what, found));
  return std::nullopt;
}

std::optional<int64_t> Checker::constantInteger(const ast::Expr &expr, const ScopePtr &scope, const char *what) {
  return asInteger(expression(expr, scope), expr.range, what);
}

} // namespace attnc::check
