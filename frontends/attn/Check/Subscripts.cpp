#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::SubscriptKind;

//===- Lists ------------------------------------------------------------------------------------------------------===//

Value Checker::pick(const Value &list, const ast::SubscriptExpr &expr, const ScopePtr &scope) {
  if (expr.subscripts.size() != 1 || expr.subscripts[0].kind != SubscriptKind::Index) {
    error(DiagnosticKind::RankMismatch, expr.range, "a list has one subscript");
    return Value();
  }
  std::optional<int64_t> index = constantInteger(*expr.subscripts[0].value, scope, "the subscript of a list");
  if (!index)
    return Value();
  auto *modules = list.as<ModuleListValue>();
  int64_t count = modules ? modules->count : static_cast<int64_t>(list.as<TupleValue>()->parts.size());
  if (*index < 0 || *index >= count) {
    error(DiagnosticKind::OutOfRange, expr.subscripts[0].range,
          fmt::format("the list has {} elements, numbered from 0, and this is {}", count, *index));
    return Value();
  }
  if (!modules)
    return list.as<TupleValue>()->parts[static_cast<size_t>(*index)];
  std::vector<ParameterRef::Pick> picks = modules->picks;
  picks.push_back({nullptr, *index});
  return ModuleValue{modules->instance, std::move(picks)};
}

//===- What each subscript means ----------------------------------------------------------------------------------===//

Checker::RestState *Checker::restAround(const ScopePtr &scope) {
  for (Scope *at = scope; at && !at->isFunction; at = at->parent) {
    auto found = restStates.find(at);
    if (found != restStates.end())
      return found->second.get();
  }
  return nullptr;
}

/// Are these at least 0 where all dimensions are at least 1? These sizes become the entry point's contract: a slice is
/// made whatever conditions are around it.
bool Checker::fits(const std::vector<Dim> &dims) { return ranges.require(dims); }

void Checker::refuseMeanOfNothing(const Dim &extent) {
  if (isTraining && guards.empty())
    fits({extent - Dim(1)});
}

std::optional<Checker::Position> Checker::slicePosition(const ast::SubscriptElement &element, const Dim &extent,
                                                        SourceRange baseRange, const ScopePtr &scope) {
  Position position;
  position.kind = Position::Kind::Range;
  position.range = element.range;
  position.upper = extent;
  for (auto [written, bound] :
       {std::pair(element.value.get(), &position.lower), {element.upper.get(), &position.upper}}) {
    if (!written)
      continue;
    std::optional<Dim> size = asSize(expression(*written, scope), written->range);
    if (!size)
      return std::nullopt;
    *bound = *size;
  }
  if (!fits({position.lower, position.upper - position.lower, extent - position.upper})) {
    error(DiagnosticKind::OutOfRange, element.range,
          fmt::format("the slice {}:{} may leave the dimension, whose size is {}", position.lower.text(),
                      position.upper.text(), extent.text()))
        .label(baseRange, "");
    return std::nullopt;
  }
  if (position.lower.is(0) && position.upper == extent)
    position.kind = Position::Kind::Whole;
  return position;
}

bool Checker::indexPosition(Position &position, const ast::SubscriptElement &element, const Dim &extent,
                            SourceRange baseRange, const ScopePtr &scope) {
  position.kind = Position::Kind::Index;
  position.range = element.range;
  Value value = expression(*element.value, scope);
  if (value.isError())
    return false;
  ExprRef index = value.as<Dim>() ? build.size(*value.as<Dim>(), element.range) : value.tensor();
  if (!index || (index->type.element != Element::Index && index->type.element != Element::I32)) {
    typeError(DiagnosticKind::BadSubscript, element.range,
              fmt::format("a subscript is an integer, and this is {}", describe(value)))
        .label(baseRange, "");
    return false;
  }
  if (auto *ref = index->as<IndexRef>(); ref && !indexStates[ref->index].hasExtent)
    giveExtent(build.indexAt(build.numberOf(ref->index)), extent, merge(baseRange, element.range));
  position.index = index->type.rank() == 0 ? build.cast(index, Element::Index) : index;
  return true;
}

/// `..` stands for `count` dimensions: whole ones, or those that the `..` of the indices around runs over.
bool Checker::restPositions(std::vector<Position> &result, size_t count, const ast::SubscriptElement &element,
                            ExprRef base, SourceRange baseRange, RestState *rest) {
  if (rest && !rest->isKnown) {
    rest->isKnown = true;
    rest->range = element.range;
    for (size_t i = 0; i < count; ++i) {
      const Dim &extent = base->type.shape[result.size() + i];
      rest->indices.push_back(build.newIndex(extent.getLabel().empty() ? "d" : extent.getLabel(), element.range));
      giveExtent(rest->indices.back(), extent, merge(baseRange, element.range));
    }
  }
  if (rest && rest->indices.size() != count) {
    typeError(DiagnosticKind::RankMismatch, element.range,
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

std::optional<std::vector<Checker::Position>> Checker::positions(const ast::SubscriptExpr &expr, ExprRef base,
                                                                 const ScopePtr &scope) {
  const Shape &shape = base->type.shape;
  SourceRange baseRange = expr.object->range;
  size_t rests = 0;
  for (const ast::SubscriptElement &element : expr.subscripts)
    rests += element.kind == SubscriptKind::Rest;
  size_t others = expr.subscripts.size() - rests;
  if (others > shape.size() || rests > 1) {
    typeError(DiagnosticKind::RankMismatch, expr.range,
              rests > 1
                  ? std::string("`..` stands in a subscript once")
                  : fmt::format("{} subscripts for {} dimension{}", others, shape.size(), shape.size() == 1 ? "" : "s"))
        .label(baseRange, textOf(base->type));
    return std::nullopt;
  }
  std::vector<Position> result;
  bool isWhole = true;
  for (const ast::SubscriptElement &element : expr.subscripts) {
    if (element.kind == SubscriptKind::Rest) {
      if (!restPositions(result, shape.size() - others, element, base, baseRange, restAround(scope)))
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

//===- Subscripts of tensors --------------------------------------------------------------------------------------===//

Value Checker::subscript(const ast::SubscriptExpr &expr, const ScopePtr &scope) {
  Value object = expression(*expr.object, scope);
  if (object.isError())
    return object;
  if (object.as<TupleValue>() || object.as<ModuleListValue>())
    return pick(object, expr, scope);
  ExprRef base = asTensor(object, expr.object->range);
  if (!base)
    return Value();
  size_t mark = ranges.mark();
  std::optional<std::vector<Position>> where = positions(expr, base, scope);
  if (!where)
    return Value();
  base = applyRanges(base, *where, expr.range);
  bool hasTensor = false, hasIndex = false;
  for (const Position &position : *where) {
    hasIndex |= position.index != nullptr;
    hasTensor |= position.index && position.index->type.rank() > 0;
  }
  if (!hasIndex)
    return TensorValue{base};
  ExprRef result = hasTensor ? gather(base, *where, expr.range, expr.object->range)
                             : applyIndices(base, *where, expr.range, expr.object->range);
  return result ? finishValue(result, mark) : Value();
}

ExprRef Checker::applyRanges(ExprRef base, std::vector<Position> &where, SourceRange range) {
  std::vector<Dim> offsets(where.size(), Dim(0));
  Shape shape = base->type.shape;
  bool slices = false;
  for (size_t i = 0; i < where.size(); ++i) {
    if (where[i].kind != Position::Kind::Range)
      continue;
    slices = true;
    offsets[i] = where[i].lower;
    Dim size = where[i].upper - where[i].lower;
    shape[i] = size == where[i].upper ? where[i].upper : size;
    where[i].kind = Position::Kind::Whole;
  }
  if (!slices)
    return base;
  return build.make(Slice{base, std::move(offsets)}, {base->type.element, std::move(shape)}, range);
}

void Checker::oblige(ExprRef subscript, unsigned position, const Dim &extent, SourceRange range,
                     SourceRange baseRange) {
  ExprRef index = subscript->as<Subscript>()->indices[position];
  auto *ref = index->as<IndexRef>();
  if (ref && indexStates[ref->index].hasExtent && ref->index->extent == extent)
    return;
  std::vector<Guard> around;
  for (const Guard &guard : guards)
    if (guard.first->type.rank() == 0)
      around.push_back(guard);
  ranges.add({subscript, position, extent, std::move(around), range, baseRange});
}

ExprRef Checker::fixedIndices(ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange) {
  std::vector<Dim> offsets;
  Shape sliced = base->type.shape, dropped;
  for (size_t i = 0; i < where.size(); ++i) {
    if (!where[i].index) {
      offsets.push_back(Dim(0));
      dropped.push_back(sliced[i]);
      continue;
    }
    auto *constant = where[i].index->as<Constant>();
    Dim at = constant ? Dim(constant->integer) : where[i].index->as<DimValue>()->dim;
    if (!fits({at, sliced[i] - Dim(1) - at})) {
      error(DiagnosticKind::OutOfRange, where[i].range,
            fmt::format("the subscript {} may leave the dimension, whose size is {}", at.text(), sliced[i].text()))
          .label(baseRange, textOf(base->type));
      return nullptr;
    }
    offsets.push_back(at);
    sliced[i] = Dim(1);
  }
  ExprRef slice = build.make(Slice{base, std::move(offsets)}, {base->type.element, std::move(sliced)}, range);
  return build.reshape(slice, std::move(dropped), range);
}

ExprRef Checker::applyIndices(ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange) {
  bool isOpen = build.isOpen(base), isFixed = true;
  std::vector<unsigned> permutation, rest;
  std::vector<ExprRef> indices;
  std::vector<const Position *> written;
  for (unsigned i = 0; i < where.size(); ++i) {
    if (!where[i].index) {
      rest.push_back(i);
      continue;
    }
    isOpen |= build.isOpen(where[i].index);
    isFixed &= where[i].index->as<Constant>() || where[i].index->as<DimValue>();
    permutation.push_back(i);
    indices.push_back(where[i].index);
    written.push_back(&where[i]);
  }
  if (!isOpen && isFixed)
    return fixedIndices(base, where, range, baseRange);
  permutation.insert(permutation.end(), rest.begin(), rest.end());
  base = build.permute(base, std::move(permutation), range);
  ExprRef result = build.subscript(base, std::move(indices), range);
  for (unsigned i = 0; i < written.size(); ++i)
    oblige(result, i, base->type.shape[i], written[i]->range, baseRange);
  return result;
}

/// table[tokens] is [b, s, d] => table[tokens[b, s], d].
ExprRef Checker::gather(ExprRef base, const std::vector<Position> &where, SourceRange range, SourceRange baseRange) {
  std::vector<Index *> over;
  auto overDims = [&](const Shape &shape) {
    std::vector<ExprRef> references;
    for (const Dim &dim : shape) {
      over.push_back(build.newIndex(dim.getLabel().empty() ? "d" : dim.getLabel(), range));
      giveExtent(over.back(), dim, range);
      references.push_back(build.reference(over.back(), range));
    }
    return references;
  };
  std::vector<ExprRef> indices;
  unsigned tensors = 0;
  for (size_t i = 0; i < where.size(); ++i) {
    ExprRef index = where[i].index;
    if (!index)
      index = overDims({base->type.shape[i]})[0];
    else if (index->type.rank() > 0) {
      if (tensors++ > 0) {
        notSupported(where[i].range, "a second tensor as a subscript; index notation says what is meant").isError();
        return nullptr;
      }
      index = build.cast(build.elementOf(index, overDims(index->type.shape), where[i].range), Element::Index);
    }
    indices.push_back(index);
  }
  ExprRef element = build.subscript(base, std::move(indices), range);
  for (unsigned i = 0; i < where.size(); ++i)
    if (where[i].index)
      oblige(element, i, base->type.shape[i], where[i].range, baseRange);
  Shape shape;
  for (Index *index : over)
    shape.push_back(index->extent);
  std::vector<const Index *> indicesOver(over.begin(), over.end());
  return build.make(Comprehension{std::move(indicesOver), element}, {base->type.element, std::move(shape)}, range);
}

} // namespace attnc::check
