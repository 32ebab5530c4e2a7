#include "frontends/attn/Check/Types/DeclaredTypes.h"

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Constants.h"
#include "frontends/attn/Parse/Walk.h"

#include <fmt/format.h>

namespace attnc::check {

using typed::Element;
using typed::Type;

std::optional<Element> DeclaredTypes::elementOf(const ast::TensorType &type) {
  switch (type.element) {
  case ast::ElementType::F32:
    return Element::F32;
  case ast::ElementType::I32:
    return Element::I32;
  case ast::ElementType::Bool:
    return Element::Bool;
  default:
    reporter.notSupported(type.range, fmt::format("the element type {}", ast::nameOf(type.element)));
    return std::nullopt;
  }
}

std::optional<Dim> DeclaredTypes::evaluateDim(const ast::Expr &expr, Scope &scope, const char *what) {
  if (auto *ref = expr.as<ast::NameRefExpr>())
    if (!names.find(scope, ref->name)) {
      Diagnostic &report = reporter.error(DiagnosticKind::UnboundDimension, expr.range,
                                          fmt::format("{} `{}` is bound by no parameter", what, ref->name));
      if (auto meant = nearest(ref->name, visibleNames(scope)))
        report.hint(fmt::format("did you mean `{}`?", *meant));
      else
        report.hint("dimensions get their names in the types of a function's parameters");
      return std::nullopt;
    }
  Value value = expressions.check(expr, scope);
  std::optional<Dim> size = asSize(reporter, value, expr.range);
  if (size && size->isConstant() && size->constant() < 0) {
    reporter.error(DiagnosticKind::BadSize, expr.range, fmt::format("{} is {}", what, size->text()));
    return std::nullopt;
  }
  if (size && size->isConstant() && size->constant() > INT32_MAX) {
    reporter.error(DiagnosticKind::BadSize, expr.range,
                   fmt::format("{} is {}, more than a tensor can have", what, size->text()));
    return std::nullopt;
  }
  auto *ref = expr.as<ast::NameRefExpr>();
  return size && ref ? size->labelled(ref->name) : size;
}

std::optional<Shape> DeclaredTypes::evaluateShape(const ast::TensorType &type, Scope &scope, const char *what) {
  Shape shape;
  bool isWhole = true;
  for (const ast::Dimension &dimension : type.dimensions) {
    if (dimension.isRest) {
      const std::optional<Shape> *rest = nullptr;
      for (Scope *at = &scope; at && !rest; at = at->parent)
        if (at->rest)
          rest = &at->rest;
      if (!rest) {
        reporter.error(DiagnosticKind::UnboundDimension, dimension.range,
                       "`..` stands for the dimensions of a parameter, and none has it");
        isWhole = false;
        continue;
      }
      shape.insert(shape.end(), (*rest)->begin(), (*rest)->end());
      continue;
    }
    if (std::optional<Dim> size = evaluateDim(*dimension.size, scope, what))
      shape.push_back(*size);
    else
      isWhole = false;
  }
  if (isWhole && !canHaveShape(shape)) {
    reporter.tooLarge(type.range, "this tensor", textOf(shape));
    return std::nullopt;
  }
  return isWhole ? std::optional<Shape>(shape) : std::nullopt;
}

bool DeclaredTypes::checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, Scope &scope) {
  if (!dimension.bound)
    return true;
  std::optional<Dim> bound = evaluateDim(*dimension.bound, scope, "the bound");
  if (!bound)
    return false;
  if (bounds.isNonNegative(*bound - actual))
    return true;
  std::string of =
      dimension.size->as<ast::NameRefExpr>() ? dimension.size->as<ast::NameRefExpr>()->name : actual.text();
  reporter
      .typeError(DiagnosticKind::BoundExceeded, range,
                 actual.isConstant()
                     ? fmt::format("`{}` is {}, more than {}", of, actual.text(), bound->text())
                     : fmt::format("`{}` must be at most {}, and {} may be more", of, bound->text(), actual.text()))
      .label(dimension.range, "the bound")
      .hint(actual.isConstant()
                ? ""
                : fmt::format("declare the dimension `{} <= {}` where it is bound", actual.text(), bound->text()));
  return false;
}

bool DeclaredTypes::checkBounds(const ast::TensorType &type, const Shape &shape, Scope &scope) {
  bool fits = true;
  size_t rests = std::count_if(type.dimensions.begin(), type.dimensions.end(),
                               [](const ast::Dimension &each) { return each.isRest; });
  size_t named = type.dimensions.size() - rests, at = 0;
  if (shape.size() < named || (rests == 0 && shape.size() > named))
    return true;
  for (const ast::Dimension &dimension : type.dimensions) {
    if (dimension.isRest)
      at += (shape.size() - named) / rests; // each `..` stands for the same dimensions
    else
      fits &= checkBound(dimension, shape[at++], dimension.range, scope);
  }
  return fits;
}

Value DeclaredTypes::conform(const Value &value, const ast::TensorType &declared, SourceRange range, Scope &scope,
                             const char *what) {
  std::optional<Shape> shape = evaluateShape(declared, scope, "the dimension");
  std::optional<Element> element = elementOf(declared);
  if (!shape || !element || value.isError())
    return Value();
  typed::ExprRef tensor = conversions.asTensor(value, range, *element);
  if (!tensor)
    return Value();
  if (tensor->type.element == Element::Index && *element == Element::I32)
    tensor = build.cast(tensor, Element::I32);
  Type expected{*element, *shape};
  auto finish = [&](Diagnostic &report) {
    report.label(typed::textOf(tensor->type))
        .label(declared.range, fmt::format("{} is declared {}", what, typed::textOf(expected)));
    return Value();
  };
  if (tensor->type.element != *element)
    return finish(reporter.typeError(
        DiagnosticKind::ElementMismatch, range,
        fmt::format("{} is {} and declared {}", what, typed::textOf(tensor->type.element), typed::textOf(*element))));
  if (tensor->type.rank() != shape->size())
    return finish(reporter.typeError(
        DiagnosticKind::RankMismatch, range,
        fmt::format("{} has {} dimensions but is declared with {}", what, tensor->type.rank(), shape->size())));
  for (size_t i = 0; i < shape->size(); ++i)
    if ((*shape)[i] != tensor->type.shape[i]) {
      Diagnostic &report = reporter.dimMismatch(range, fmt::format("{} differs from its type in dimension {}", what, i),
                                                tensor->type.shape[i], (*shape)[i]);
      origins.note(report, tensor, range, tensor->type.shape[i]);
      return finish(report);
    }
  return checkBounds(declared, *shape, scope) ? Value(TensorValue{tensor}) : Value();
}

void DeclaredTypes::introduceDims(const ast::TensorType &type, Scope &scope, typed::Entry &entry) {
  for (const ast::Dimension &dimension : type.dimensions) {
    if (dimension.isRest && !scope.rest) // a function that is checked alone: assumed dimensions
      scope.rest = Shape{Dim::symbol("..")};
    if (dimension.isRest)
      continue;
    walk(*dimension.size, {.expression = [&](const ast::Expr &expr) {
      auto *ref = expr.as<ast::NameRefExpr>();
      if (!ref || names.find(scope, ref->name))
        return;
      bounds.add(ref->name);
      Binding &binding = scope.names[ref->name];
      binding = Binding{Dim::symbol(ref->name), ref->range};
      binding.isDimension = true;
      entry.dimensions.push_back({ref->name, -1, dimension.range});
    }});
  }
}

void DeclaredTypes::setMaximum(const ast::Dimension &dimension, const Dim &size, int64_t bound, typed::Entry &entry) {
  std::optional<Dim::Linear> linear = size.linear();
  if (!linear) {
    reporter.error(DiagnosticKind::NotSupported, dimension.range,
                   fmt::format("an entry point cannot bound the size {}, which is not a*n + b with a > 0 for one "
                               "dimension n",
                               size.text()));
    return;
  }
  int64_t rest = (Dim(bound) - Dim(linear->offset)).constant(), maximum = rest / linear->factor;
  if (rest < 0) {
    reporter.error(DiagnosticKind::BadSize, dimension.range,
                   fmt::format("no size of `{}` is within the bound {}", linear->name, bound));
    return;
  }
  for (typed::Dimension &declared : entry.dimensions)
    if (declared.name == linear->name && (declared.max < 0 || maximum < declared.max)) {
      declared.max = maximum;
      bounds.setMaximum(declared.name, declared.max);
    }
}

void DeclaredTypes::declareBounds(const ast::TensorType &type, const Shape &shape, Scope &scope, typed::Entry &entry) {
  for (size_t i = 0; i < type.dimensions.size(); ++i) {
    const ast::Dimension &dimension = type.dimensions[i];
    if (!dimension.bound)
      continue;
    std::optional<int64_t> bound =
        constantInteger(reporter, expressions, *dimension.bound, scope, "the bound of an entry point's dimension");
    if (bound && shape[i].isConstant())
      checkBound(dimension, shape[i], dimension.range, scope);
    else if (bound)
      setMaximum(dimension, shape[i], *bound, entry);
  }
}

} // namespace attnc::check
