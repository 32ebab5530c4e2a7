#include "frontends/attn/Check/Indices/SubscriptPositions.h"

#include "frontends/attn/Check/Constants.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::SubscriptKind;

std::optional<Position> SubscriptPositions::slicePosition(const ast::SubscriptElement &element, const Dim &extent,
                                                          SourceRange baseRange, Scope &scope) {
  Position position;
  position.kind = Position::Kind::Range;
  position.range = element.range;
  position.upper = extent;
  for (auto [written, bound] :
       {std::pair(element.value.get(), &position.lower), {element.upper.get(), &position.upper}}) {
    if (!written)
      continue;
    std::optional<Dim> size = asSize(reporter, expressions.check(*written, scope), written->range);
    if (!size)
      return std::nullopt;
    *bound = *size;
  }
  if (!bounds.require({position.lower, position.upper - position.lower, extent - position.upper})) {
    reporter
        .error(DiagnosticKind::OutOfRange, element.range,
               fmt::format("the slice {}:{} may leave the dimension, whose size is {}", position.lower.text(),
                           position.upper.text(), extent.text()))
        .label(baseRange, "");
    return std::nullopt;
  }
  if (position.lower.is(0) && position.upper == extent)
    position.kind = Position::Kind::Whole;
  return position;
}

bool SubscriptPositions::indexPosition(Position &position, const ast::SubscriptElement &element, const Dim &extent,
                                       SourceRange baseRange, Scope &scope) {
  position.kind = Position::Kind::Index;
  position.range = element.range;
  Value value = expressions.check(*element.value, scope);
  if (value.isError())
    return false;
  ExprRef index = value.as<Dim>() ? build.size(*value.as<Dim>(), element.range) : value.tensor();
  if (!index || (index->type.element != Element::Index && index->type.element != Element::I32)) {
    reporter
        .typeError(DiagnosticKind::BadSubscript, element.range,
                   fmt::format("a subscript is an integer, but this is {}", describe(value)))
        .label(baseRange, "");
    return false;
  }
  if (auto *ref = index->as<IndexRef>(); ref && !indexScopes.hasExtent(ref->index))
    indexScopes.giveExtent(build.indexAt(build.numberOf(ref->index)), extent, merge(baseRange, element.range));
  position.index = index->type.rank() == 0 ? build.cast(index, Element::Index) : index;
  return true;
}

/// Fills in `..`, which stands for `count` dimensions: whole ones, or the dimensions of an enclosing `..` of indices.
bool SubscriptPositions::restPositions(std::vector<Position> &result, size_t count,
                                       const ast::SubscriptElement &element, ExprRef base, SourceRange baseRange,
                                       IndexScopes::RestState *rest) {
  if (rest && !rest->isKnown) {
    rest->isKnown = true;
    rest->range = element.range;
    for (size_t i = 0; i < count; ++i) {
      const Dim &extent = base->type.shape[result.size() + i];
      rest->indices.push_back(build.newIndex(extent.getLabel().empty() ? "d" : extent.getLabel(), element.range));
      indexScopes.giveExtent(rest->indices.back(), extent, merge(baseRange, element.range));
    }
  }
  if (rest && rest->indices.size() != count) {
    reporter
        .typeError(DiagnosticKind::RankMismatch, element.range,
                   fmt::format("`..` stands for {} dimensions and for {}", rest->indices.size(), count))
        .label(baseRange, textOf(base->type))
        .label(rest->range, fmt::format("{} dimensions", rest->indices.size()));
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    Position position;
    position.range = element.range;
    if (rest) {
      position.kind = Position::Kind::Index;
      position.index = build.reference(rest->indices[i], element.range);
    }
    result.push_back(position);
  }
  return true;
}

std::optional<std::vector<Position>> SubscriptPositions::positions(const ast::SubscriptExpr &expr, ExprRef base,
                                                                   Scope &scope) {
  const Shape &shape = base->type.shape;
  SourceRange baseRange = expr.object->range;
  size_t rests = 0;
  for (const ast::SubscriptElement &element : expr.subscripts)
    rests += element.kind == SubscriptKind::Rest;
  size_t others = expr.subscripts.size() - rests;
  if (others > shape.size() || rests > 1) {
    reporter
        .typeError(DiagnosticKind::RankMismatch, expr.range,
                   rests > 1 ? std::string("`..` may appear only once in a subscript")
                             : fmt::format("{} subscripts for {} dimension{}", others, shape.size(),
                                           shape.size() == 1 ? "" : "s"))
        .label(baseRange, textOf(base->type));
    return std::nullopt;
  }
  std::vector<Position> result;
  bool isWhole = true;
  for (const ast::SubscriptElement &element : expr.subscripts) {
    if (element.kind == SubscriptKind::Rest) {
      if (!restPositions(result, shape.size() - others, element, base, baseRange, indexScopes.restAround(scope)))
        return std::nullopt;
      continue;
    }
    const Dim &extent = shape[result.size()];
    if (element.kind == SubscriptKind::Slice) {
      std::optional<Position> slice = slicePosition(element, extent, baseRange, scope);
      isWhole &= slice.has_value();
      result.push_back(slice.value_or(Position()));
      continue;
    }
    Position position;
    isWhole &= indexPosition(position, element, extent, baseRange, scope);
    result.push_back(position);
  }
  result.resize(shape.size());
  return isWhole ? std::optional(result) : std::nullopt;
}

} // namespace attnc::check
