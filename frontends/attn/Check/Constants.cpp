#include "frontends/attn/Check/Constants.h"

#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using ast::BinaryOp;

static std::string nameOrValue(const Dim &dim) {
  return dim.getLabel().empty() || dim.getLabel() == dim.text() ? dim.text()
                                                                : fmt::format("`{}` = {}", dim.getLabel(), dim.text());
}

static int64_t floorMod(int64_t a, int64_t b) {
  int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static Value divideSizes(Reporter &reporter, const ast::BinaryExpr &expr, const Dim &a, const Dim &b) {
  if (b.is(0)) {
    reporter.error(DiagnosticKind::InexactDivision, expr.range, fmt::format("{} is divided by zero", nameOrValue(a)));
    return Value();
  }
  if (std::optional<Dim> quotient = a.dividedBy(b))
    return *quotient;
  bool isExtent = a.isExtent() || b.isExtent(), hasDivisor = b.isConstant() && b.constant() > 0;
  if (isExtent && hasDivisor) {
    if (std::optional<Dim> quotient = a.quotient(b.constant()))
      return *quotient;
    reporter.notSupported(expr.range,
                          fmt::format("more than {} quotients of sizes within each other", Dim::mostNestedQuotients));
    return Value();
  }
  reporter
      .error(DiagnosticKind::InexactDivision, expr.range,
             fmt::format("{} is not divisible by {}", nameOrValue(a), nameOrValue(b)))
      .hint(isExtent ? "the divisor of a quotient with a remainder must be a number above 0"
                     : "a division of whole numbers must be exact; a quotient with a fraction is `1.0 * a / b`");
  return Value();
}

/// a - floor(a / b) * b, which is a for b = 0; null if the quotient is not known.
static std::optional<Dim> remainder(const Dim &a, const Dim &b) {
  if (b.is(0))
    return a;
  if (a.isConstant() && b.isConstant() && b.constant() < 0)
    return Dim(floorMod(a.constant(), b.constant()));
  std::optional<Dim> quotient = b.isConstant() && b.constant() > 0 ? a.quotient(b.constant()) : std::nullopt;
  return quotient ? std::optional(a - *quotient * b) : std::nullopt;
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

/// Returns an integer result of an operator; reports one beyond 64 bits.
static Value wholeNumber(Reporter &reporter, const ast::BinaryExpr &expr, const Dim &result) {
  if (!result.isSaturated())
    return result;
  reporter.error(DiagnosticKind::BadSize, expr.range, "this number is beyond 64 bits");
  return Value();
}

std::optional<Value> foldBinary(Reporter &reporter, const ast::BinaryExpr &expr, const Value &a, const Value &b) {
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
      return wholeNumber(reporter, expr, *m + *n);
    case BinaryOp::Sub:
      return wholeNumber(reporter, expr, *m - *n);
    case BinaryOp::Mul:
      return wholeNumber(reporter, expr, *m * *n);
    case BinaryOp::Div:
      return divideSizes(reporter, expr, *m, *n);
    case BinaryOp::Pow:
      if (std::optional<Dim> result = power(*m, *n))
        return wholeNumber(reporter, expr, *result);
      break;
    case BinaryOp::Mod:
      if (std::optional<Dim> rest = remainder(*m, *n))
        return wholeNumber(reporter, expr, *rest);
      break;
    default: // compared as integers, because reals are equal beyond 2^53
      if (areConstant || *m == *n) {
        int64_t a = areConstant ? m->constant() : 0, b = areConstant ? n->constant() : 0;
        if (std::optional<bool> truth = compare(expr.op, a < b ? -1 : a > b, 0))
          return Value(*truth);
      }
      break;
    }
  }
  std::optional<double> x = a.real(), y = b.real();
  return x && y ? foldReals(expr.op, *x, *y) : std::nullopt;
}

std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a) {
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

std::optional<Dim> asSize(Reporter &reporter, const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  if (auto *size = value.as<Dim>())
    return *size;
  reporter.error(DiagnosticKind::NotConstant, range,
                 fmt::format("a size must be an integer, but this is {}", describe(value)));
  return std::nullopt;
}

std::optional<int64_t> asInteger(Reporter &reporter, const Value &value, SourceRange range, const char *what) {
  if (value.isError())
    return std::nullopt;
  auto *size = value.as<Dim>();
  if (size && size->isConstant())
    return size->constant();
  std::string found = size ? fmt::format("the size `{}`, which varies", size->text()) : describe(value);
  reporter.error(DiagnosticKind::NotConstant, range,
                 fmt::format("{} must be an integer that is known when the model is compiled, but is {}", what, found));
  return std::nullopt;
}

std::optional<int64_t> constantInteger(Reporter &reporter, ExpressionChecker &expressions, const ast::Expr &expr,
                                       Scope &scope, const char *what) {
  return asInteger(reporter, expressions.check(expr, scope), expr.range, what);
}

} // namespace attnc::check
