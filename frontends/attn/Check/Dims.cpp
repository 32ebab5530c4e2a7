#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using typed::Element;
using typed::Type;

//===- Types as written -------------------------------------------------------------------------------------------===//

std::optional<Element> Checker::elementOf(const ast::TensorType &type) {
  switch (type.element) {
  case ast::ElementType::F32:
    return Element::F32;
  case ast::ElementType::I32:
    return Element::I32;
  case ast::ElementType::Bool:
    return Element::Bool;
  default:
    notSupported(type.range, fmt::format("the element type {}", ast::nameOf(type.element)));
    return std::nullopt;
  }
}

std::optional<Dim> Checker::evaluateDim(const ast::Expr &expr, const ScopePtr &scope, const char *what) {
  if (auto *ref = expr.as<ast::NameRefExpr>())
    if (!find(scope, ref->name)) {
      Diagnostic &report = error(DiagnosticKind::UnboundDimension, expr.range,
                                 fmt::format("{} `{}` is bound by no parameter", what, ref->name));
      if (auto meant = nearest(ref->name, visibleNames(scope)))
        report.hint(fmt::format("did you mean `{}`?", *meant));
      else
        report.hint("dimensions get their names in the types of a function's parameters");
      return std::nullopt;
    }
  Value value = expression(expr, scope);
  std::optional<Dim> size = asSize(value, expr.range);
  if (size && size->isConstant() && size->constant() < 0) {
    error(DiagnosticKind::BadSize, expr.range, fmt::format("{} is {}", what, size->text()));
    return std::nullopt;
  }
  if (size && size->isConstant() && size->constant() > INT32_MAX) {
    error(DiagnosticKind::BadSize, expr.range,
          fmt::format("{} is {}, more than a tensor can have", what, size->text()));
    return std::nullopt;
  }
  auto *ref = expr.as<ast::NameRefExpr>();
  return size && ref ? size->labelled(ref->name) : size;
}

std::optional<Shape> Checker::evaluateShape(const ast::TensorType &type, const ScopePtr &scope, const char *what) {
  Shape shape;
  bool isWhole = true;
  for (const ast::Dimension &dimension : type.dimensions) {
    if (dimension.isRest) {
      const std::optional<Shape> *rest = nullptr;
      for (Scope *at = scope; at && !rest; at = at->parent)
        if (at->rest)
          rest = &at->rest;
      if (!rest) {
        error(DiagnosticKind::UnboundDimension, dimension.range,
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
    tooLarge(type.range, "this tensor", textOf(shape));
    return std::nullopt;
  }
  return isWhole ? std::optional<Shape>(shape) : std::nullopt;
}

//===- Unification ------------------------------------------------------------------------------------------------===//

Diagnostic &Checker::dimMismatch(SourceRange range, const std::string &what, const Dim &a, const Dim &b) {
  std::string values = fmt::format("{} and {}", a.text(), b.text());
  const std::string &label = a.getLabel(), &other = b.getLabel();
  if (!label.empty() && label != a.text() && (label == other || other.empty() || other == b.text()))
    values = fmt::format("`{}` is {} and {}", label, a.text(), b.text());
  else if (!label.empty() && !other.empty() && (label != a.text() || other != b.text()))
    values = fmt::format("`{}` is {} and `{}` is {}", label, a.text(), other, b.text());
  return typeError(DiagnosticKind::DimMismatch, range, fmt::format("{}: {}", what, values));
}

/// The variable that an operand is a part of: `k` of `k[b, h, j]`.
static std::string variableOf(std::string_view written) {
  size_t end = 0;
  while (end < written.size() && (std::isalnum(static_cast<unsigned char>(written[end])) || written[end] == '_'))
    ++end;
  bool isPart = end == written.size() || written[end] == '[' || written[end] == '\'';
  return isPart ? std::string(written.substr(0, end)) : "";
}

void Checker::noteOrigin(Diagnostic &report, typed::ExprRef operand, SourceRange written, const Dim &dim) {
  std::optional<Origins::Origin> origin = origins.find(operand, dim);
  if (!origin)
    return;
  auto lineOf = [&](SourceRange range) { return sources.file(range.file).lineColumn(range.begin).line; };
  SourceRange declared = origin->declared, place = report.primary.range;
  if (!place.valid() || (declared.file == place.file && lineOf(declared) == lineOf(place)))
    return;
  std::string variable = origin->name.empty() ? variableOf(sources.text(written)) : "";
  std::string message = variable.empty()
                            ? fmt::format("`{}` is declared", origin->name.empty() ? origin->maker : origin->name)
                            : fmt::format("`{}` is made by `{}`, declared", variable, origin->maker);
  for (const Note &note : report.notes)
    if (note.message == message)
      return;
  report.note(message, declared);
}

bool Checker::checkBound(const ast::Dimension &dimension, const Dim &actual, SourceRange range, const ScopePtr &scope) {
  if (!dimension.bound)
    return true;
  std::optional<Dim> bound = evaluateDim(*dimension.bound, scope, "the bound");
  if (!bound)
    return false;
  if (ranges.isNonNegative(*bound - actual))
    return true;
  std::string of =
      dimension.size->as<ast::NameRefExpr>() ? dimension.size->as<ast::NameRefExpr>()->name : actual.text();
  typeError(DiagnosticKind::BoundExceeded, range,
            actual.isConstant()
                ? fmt::format("`{}` is {}, more than {}", of, actual.text(), bound->text())
                : fmt::format("`{}` must be at most {}, and {} may be more", of, bound->text(), actual.text()))
      .label(dimension.range, "the bound")
      .hint(actual.isConstant()
                ? ""
                : fmt::format("declare the dimension `{} <= {}` where it is bound", actual.text(), bound->text()));
  return false;
}

bool Checker::unifyDim(const ast::Dimension &dimension, const Dim &actual, SourceRange range, typed::ExprRef tensor,
                       const ScopePtr &scope, std::vector<LaterDim> &later) {
  auto *ref = dimension.size->as<ast::NameRefExpr>();
  if (!ref) {
    later.push_back({&dimension, actual, range, tensor});
    return true;
  }
  std::optional<Value> known = find(scope, ref->name);
  if (!known) {
    scope->names[ref->name] = Binding{actual.labelled(actual.isConstant() ? ref->name : actual.text()), range};
    scope->names[ref->name].isDimension = true;
    return checkBound(dimension, actual, range, scope);
  }
  std::optional<Dim> expected = asSize(*known, dimension.size->range);
  if (!expected)
    return false;
  if (*expected == actual)
    return checkBound(dimension, actual, range, scope);
  Diagnostic &report =
      dimMismatch(range, "dimensions differ", expected->labelled(ref->name), Dim(actual).labelled(ref->name));
  report.label(typed::textOf(tensor->type));
  Binding *binding = findBinding(scope, ref->name);
  if (binding && binding->isDimension)
    report.label(binding->range, fmt::format("`{}` is {}", ref->name, expected->text()));
  report.note("the parameter's type is written", dimension.range);
  noteOrigin(report, tensor, range, actual);
  return false;
}

bool Checker::unify(const ast::TensorType &type, typed::ExprRef tensor, SourceRange range, const ScopePtr &scope,
                    std::vector<LaterDim> &later) {
  const Type &actual = tensor->type;
  size_t rests = 0;
  for (const ast::Dimension &dimension : type.dimensions)
    rests += dimension.isRest;
  size_t named = type.dimensions.size() - rests;
  if (rests > 1) {
    error(DiagnosticKind::Misplaced, type.range, "a type has `..` at most once");
    return false;
  }
  if (rests ? actual.rank() < named : actual.rank() != named) {
    std::string expected = fmt::format("{}{} dimension{}", rests ? "at least " : "", named, named == 1 ? "" : "s");
    typeError(DiagnosticKind::RankMismatch, range, fmt::format("{} expected, found {}", expected, actual.rank()))
        .label(typed::textOf(actual))
        .label(type.range, "declared here");
    return false;
  }
  size_t next = 0;
  bool fits = true;
  for (const ast::Dimension &dimension : type.dimensions) {
    if (!dimension.isRest) {
      fits &= unifyDim(dimension, actual.shape[next++], range, tensor, scope, later);
      continue;
    }
    auto begin = actual.shape.begin() + static_cast<ptrdiff_t>(next);
    Shape rest(begin, begin + static_cast<ptrdiff_t>(actual.rank() - named));
    next += rest.size();
    if (!scope->rest) {
      scope->rest = rest;
      scope->restRange = range;
    } else if (*scope->rest != rest) {
      typeError(DiagnosticKind::DimMismatch, range,
                fmt::format("`..` is {} and {}", textOf(*scope->rest), textOf(rest)))
          .label(typed::textOf(actual))
          .label(scope->restRange, fmt::format("`..` is {}", textOf(*scope->rest)));
      fits = false;
    }
  }
  return fits;
}

/// The one name in a size that is not known yet: n of `2 * n`, `n + 1`.
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

/// Solves size = actual for its unknown name where size is a*n + b; nothing where no name is unknown.
std::optional<bool> Checker::solveDim(const LaterDim &late, const ScopePtr &scope) {
  unsigned count = 0;
  const ast::Expr &size = *late.dimension->size;
  const ast::NameRefExpr *unknown = unknownOf(
      size, [&](const std::string &name) { return find(scope, name).has_value(); }, count);
  if (!unknown)
    return std::nullopt;
  // With n standing for itself the size is a polynomial in n.
  const std::string symbol = "\n" + unknown->name;
  Binding &binding = scope->names[unknown->name];
  binding = Binding{Dim::symbol(symbol), late.range};
  binding.isDimension = true;
  std::optional<Dim> form = count == 1 ? evaluateDim(size, scope, "the dimension") : std::nullopt;
  if (form) {
    Dim offset = form->substitute({{symbol, Dim(0)}});
    Dim factor = form->substitute({{symbol, Dim(1)}}) - offset;
    std::optional<Dim> value = (late.actual - offset).dividedBy(factor);
    bool isLinear = factor * Dim::symbol(symbol) + offset == *form;
    if (value && isLinear && !(value->isConstant() && value->constant() < 0)) {
      binding.value = value->labelled(unknown->name);
      return true;
    }
  }
  binding.value = Value();
  error(DiagnosticKind::UnboundDimension, size.range,
        fmt::format("`{}` cannot be worked out from the size {}", unknown->name, late.actual.text()))
      .hint("bind it in a type of its own first");
  return false;
}

bool Checker::finishUnify(const std::vector<LaterDim> &later, const ScopePtr &scope) {
  bool fits = true;
  for (const LaterDim &late : later) {
    if (std::optional<bool> solved = solveDim(late, scope)) {
      fits &= *solved;
      continue;
    }
    std::optional<Dim> expected = evaluateDim(*late.dimension->size, scope, "the dimension");
    if (!expected) {
      fits = false;
      continue;
    }
    if (*expected != late.actual) {
      std::string written(sources.text(late.dimension->size->range));
      Diagnostic &report =
          dimMismatch(late.range, "dimensions differ", expected->labelled(written), Dim(late.actual).labelled(written));
      report.label(typed::textOf(late.tensor->type)).note("the parameter's type is written", late.dimension->range);
      noteOrigin(report, late.tensor, late.range, late.actual);
      fits = false;
      continue;
    }
    fits &= checkBound(*late.dimension, late.actual, late.range, scope);
  }
  return fits;
}

//===- Declared types ---------------------------------------------------------------------------------------------===//

Value Checker::conform(const Value &value, const ast::TensorType &declared, SourceRange range, const ScopePtr &scope,
                       const char *what) {
  std::optional<Shape> shape = evaluateShape(declared, scope, "the dimension");
  std::optional<Element> element = elementOf(declared);
  if (!shape || !element || value.isError())
    return Value();
  typed::ExprRef tensor = asTensor(value, range, *element);
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
    return finish(typeError(
        DiagnosticKind::ElementMismatch, range,
        fmt::format("{} is {} and declared {}", what, typed::textOf(tensor->type.element), typed::textOf(*element))));
  if (tensor->type.rank() != shape->size())
    return finish(typeError(
        DiagnosticKind::RankMismatch, range,
        fmt::format("{} has {} dimensions and is declared with {}", what, tensor->type.rank(), shape->size())));
  for (size_t i = 0; i < shape->size(); ++i)
    if ((*shape)[i] != tensor->type.shape[i]) {
      Diagnostic &report = dimMismatch(range, fmt::format("{} differs from its type in dimension {}", what, i),
                                       tensor->type.shape[i], (*shape)[i]);
      noteOrigin(report, tensor, range, tensor->type.shape[i]);
      return finish(report);
    }
  return TensorValue{tensor};
}

//===- Dimensions of entry points ---------------------------------------------------------------------------------===//

void Checker::introduceDims(const ast::TensorType &type, const ScopePtr &scope, typed::Entry &entry) {
  for (const ast::Dimension &dimension : type.dimensions) {
    if (dimension.isRest && !scope->rest) // of a function that is checked alone: some dimensions
      scope->rest = Shape{Dim::symbol("..")};
    auto *ref = dimension.isRest ? nullptr : dimension.size->as<ast::NameRefExpr>();
    if (!ref || find(scope, ref->name))
      continue;
    typed::Dimension introduced{ref->name, -1, dimension.range};
    ranges.addDimension(ref->name);
    if (dimension.bound)
      if (std::optional<int64_t> bound =
              constantInteger(*dimension.bound, scope, "the bound of an entry point's dimension")) {
        introduced.max = *bound;
        ranges.setMaximum(ref->name, *bound);
      }
    Binding &binding = scope->names[ref->name];
    binding = Binding{Dim::symbol(ref->name), dimension.size->range};
    binding.isDimension = true;
    entry.dimensions.push_back(std::move(introduced));
  }
}

static bool differInDigitsOnly(const std::string &a, const std::string &b) {
  auto letters = [](std::string word) {
    word.erase(std::remove_if(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }), word.end());
    return word;
  };
  return letters(a) == letters(b);
}

/// A dimension that is named once, and almost as another, is probably that other one misspelt.
void Checker::warnNearMiss(const ast::FunctionDecl &decl, const ScopePtr &scope) {
  std::map<std::string, std::vector<SourceRange>> uses;
  auto addType = [&](const ast::TensorType &type) {
    for (const ast::Dimension &dimension : type.dimensions)
      if (auto *ref = dimension.isRest ? nullptr : dimension.size->as<ast::NameRefExpr>())
        uses[ref->name].push_back(ref->range);
  };
  for (const ast::Parameter &parameter : decl.parameters)
    if (parameter.type)
      addType(*parameter.type);
  for (const ast::Result &result : decl.results)
    addType(result.type);
  for (const auto &[name, places] : uses) {
    auto binding = scope->names.find(name);
    if (places.size() > 1 || binding == scope->names.end() || !binding->second.isDimension)
      continue;
    std::vector<std::string> others;
    for (const auto &[other, otherPlaces] : uses)
      others.push_back(other);
    if (scope->self.instance)
      for (const auto &[member, memberBinding] : scope->self.instance->members)
        if (memberBinding.value.as<Dim>())
          others.push_back(member);
    for (const std::string &other : others)
      if (other != name && other[0] == name[0] && name.size() > 2 && editDistance(name, other, 1) == 1 &&
          !differInDigitsOnly(name, other)) {
        warning(DiagnosticKind::NearMissDimension, places[0],
                fmt::format("the dimension `{}` is new here, and almost named as `{}`", name, other))
            .hint(fmt::format("did you mean `{}`?", other));
        break;
      }
  }
}

} // namespace attnc::check
