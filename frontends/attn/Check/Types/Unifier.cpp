#include "frontends/attn/Check/Types/Unifier.h"

#include "frontends/attn/Check/Constants.h"

#include <fmt/format.h>

namespace attnc::check {

using typed::Type;

bool Unifier::unifyDim(const ast::Dimension &dimension, const Dim &actual, SourceRange range, typed::ExprRef tensor) {
  auto *ref = dimension.size->as<ast::NameRefExpr>();
  if (!ref) {
    later.push_back({&dimension, actual, range, tensor});
    return true;
  }
  std::optional<Value> known = names.find(scope, ref->name);
  if (!known) {
    scope.names[ref->name] =
        Binding{actual.labelled(actual.isConstant() ? ref->name : actual.text()).asExtent(), range};
    scope.names[ref->name].isDimension = true;
    return types.checkBound(dimension, actual, range, scope);
  }
  std::optional<Dim> expected = asSize(reporter, *known, dimension.size->range);
  if (!expected)
    return false;
  if (*expected == actual)
    return types.checkBound(dimension, actual, range, scope);
  Diagnostic &report =
      reporter.dimMismatch(range, "dimensions differ", expected->labelled(ref->name), Dim(actual).labelled(ref->name));
  report.label(typed::textOf(tensor->type));
  Binding *binding = findBinding(scope, ref->name);
  if (binding && binding->isDimension)
    report.label(binding->range, fmt::format("`{}` is {}", ref->name, expected->text()));
  report.note("the parameter's type is written", dimension.range);
  origins.note(report, tensor, range, actual);
  return false;
}

bool Unifier::unify(const ast::TensorType &type, typed::ExprRef tensor, SourceRange range) {
  const Type &actual = tensor->type;
  size_t rests = 0;
  for (const ast::Dimension &dimension : type.dimensions)
    rests += dimension.isRest;
  size_t named = type.dimensions.size() - rests;
  if (rests > 1) {
    reporter.error(DiagnosticKind::Misplaced, type.range, "a type has `..` at most once");
    return false;
  }
  if (rests ? actual.rank() < named : actual.rank() != named) {
    std::string expected = fmt::format("{}{} dimension{}", rests ? "at least " : "", named, named == 1 ? "" : "s");
    reporter
        .typeError(DiagnosticKind::RankMismatch, range, fmt::format("{} expected, found {}", expected, actual.rank()))
        .label(typed::textOf(actual))
        .label(type.range, "declared here");
    return false;
  }
  size_t next = 0;
  bool fits = true;
  for (const ast::Dimension &dimension : type.dimensions) {
    if (!dimension.isRest) {
      fits &= unifyDim(dimension, actual.shape[next++], range, tensor);
      continue;
    }
    auto begin = actual.shape.begin() + static_cast<ptrdiff_t>(next);
    Shape rest(begin, begin + static_cast<ptrdiff_t>(actual.rank() - named));
    next += rest.size();
    if (!scope.rest) {
      scope.rest = rest;
      scope.restRange = range;
    } else if (*scope.rest != rest) {
      reporter
          .typeError(DiagnosticKind::DimMismatch, range,
                     fmt::format("`..` is {} and {}", textOf(*scope.rest), textOf(rest)))
          .label(typed::textOf(actual))
          .label(scope.restRange, fmt::format("`..` is {}", textOf(*scope.rest)));
      fits = false;
    }
  }
  return fits;
}

/// Finds the only unbound name in a size: n of `2 * n`, `n + 1`.
static const ast::NameRefExpr *unknownOf(const ast::Expr &expr, const std::function<bool(const std::string &)> &isKnown,
                                         unsigned &count) {
  if (auto *ref = expr.as<ast::NameRefExpr>()) {
    if (isKnown(ref->name))
      return nullptr;
    ++count;
    return ref;
  }
  auto *binary = expr.as<ast::BinaryExpr>();
  if (!binary)
    return nullptr;
  const ast::NameRefExpr *left = unknownOf(*binary->lhs, isKnown, count);
  const ast::NameRefExpr *right = unknownOf(*binary->rhs, isKnown, count);
  return left ? left : right;
}

/// Solves size = actual for its unbound name if size is a*n + b; null if no name is unbound.
std::optional<bool> Unifier::solveDim(const LaterDim &late) {
  unsigned count = 0;
  const ast::Expr &size = *late.dimension->size;
  const ast::NameRefExpr *unknown = unknownOf(
      size, [&](const std::string &name) { return names.find(scope, name).has_value(); }, count);
  if (!unknown)
    return std::nullopt;
  // With n bound to itself, the size is a polynomial in n.
  const std::string symbol = unknown->name + "'"; // unlike the name of any other dimension
  Binding &binding = scope.names[unknown->name];
  binding = Binding{Dim::symbol(symbol), late.range};
  binding.isDimension = true;
  std::optional<Dim> form = count == 1 ? types.evaluateDim(size, scope, "the dimension") : std::nullopt;
  if (form) {
    Dim offset = form->substitute({{symbol, Dim(0)}});
    Dim factor = form->substitute({{symbol, Dim(1)}}) - offset;
    std::optional<Dim> value = (late.actual - offset).dividedBy(factor);
    bool isLinear = factor * Dim::symbol(symbol) + offset == *form;
    if (value && isLinear && !(value->isConstant() && value->constant() < 0)) {
      binding.value = value->labelled(unknown->name).asExtent();
      return true;
    }
  }
  binding.value = Value();
  reporter
      .error(DiagnosticKind::UnboundDimension, size.range,
             fmt::format("`{}` cannot be inferred from the size {}", unknown->name, late.actual.text()))
      .hint("bind it in a type of its own first");
  return false;
}

bool Unifier::finish() {
  bool fits = true;
  for (const LaterDim &late : later) {
    if (std::optional<bool> solved = solveDim(late)) {
      fits &= *solved && types.checkBound(*late.dimension, late.actual, late.range, scope);
      continue;
    }
    std::optional<Dim> expected = types.evaluateDim(*late.dimension->size, scope, "the dimension");
    if (!expected) {
      fits = false;
      continue;
    }
    if (*expected != late.actual) {
      std::string written(reporter.text(late.dimension->size->range));
      Diagnostic &report = reporter.dimMismatch(late.range, "dimensions differ", expected->labelled(written),
                                                Dim(late.actual).labelled(written));
      report.label(typed::textOf(late.tensor->type)).note("the parameter's type is written", late.dimension->range);
      origins.note(report, late.tensor, late.range, late.actual);
      fits = false;
      continue;
    }
    fits &= types.checkBound(*late.dimension, late.actual, late.range, scope);
  }
  return fits;
}

} // namespace attnc::check
