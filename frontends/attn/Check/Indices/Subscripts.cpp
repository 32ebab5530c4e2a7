#include "frontends/attn/Check/Indices/Subscripts.h"

#include "frontends/attn/Check/Constants.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::SubscriptKind;

Value Subscripts::pick(const Value &list, const ast::SubscriptExpr &expr, Scope &scope) {
  if (expr.subscripts.size() != 1 || expr.subscripts[0].kind != SubscriptKind::Index) {
    reporter.error(DiagnosticKind::RankMismatch, expr.range, "a list has one subscript");
    return Value();
  }
  auto *modules = list.as<ModuleListValue>();
  SourceRange range = expr.subscripts[0].range;
  Value value = expressions.check(*expr.subscripts[0].value, scope);
  if (modules && value.tensor())
    return pickByData(*modules, value.tensor(), range);
  std::optional<int64_t> index = asInteger(reporter, value, range, "the subscript of a list");
  if (!index)
    return Value();
  int64_t count = modules ? modules->count : static_cast<int64_t>(list.as<TupleValue>()->parts.size());
  if (*index < 0 || *index >= count) {
    reporter.error(DiagnosticKind::OutOfRange, range,
                   fmt::format("the list has {} elements, numbered from 0, but this is {}", count, *index));
    return Value();
  }
  if (!modules)
    return list.as<TupleValue>()->parts[static_cast<size_t>(*index)];
  ModuleValue picked{modules->instance, modules->picks, modules->element};
  if (modules->isStacked)
    picked.element = build.integer(*index, Element::Index, range);
  else
    picked.picks.push_back({nullptr, *index});
  return picked;
}

Value Subscripts::pickByData(const ModuleListValue &list, ExprRef index, SourceRange range) {
  bool isInteger = index->type.element == Element::Index || index->type.element == Element::I32;
  if (index->type.rank() != 0 || !isInteger) {
    reporter.typeError(DiagnosticKind::BadSubscript, range,
                       fmt::format("the subscript of a list is an integer, but this is {}", textOf(index->type)));
    return Value();
  }
  if (!list.isStacked) {
    stacked.add(list.instance->field);
    return Value();
  }
  if (auto *ref = index->as<IndexRef>(); ref && !indexScopes.hasExtent(ref->index))
    indexScopes.giveExtent(build.indexAt(build.numberOf(ref->index)), Dim(list.count), range);
  return ModuleValue{list.instance, list.picks, build.cast(index, Element::Index)};
}

Value Subscripts::elementOf(ExprRef stack, ExprRef index) {
  size_t mark = ranges.mark();
  std::vector<Position> where(stack->type.rank());
  where.front().kind = Position::Kind::Index;
  where.front().index = index;
  where.front().range = index->range;
  ExprRef result = applyIndices(stack, where, index->range, index->range);
  return result ? bodies.finishValue(result, mark) : Value();
}

Value Subscripts::subscript(const ast::SubscriptExpr &expr, Scope &scope) {
  Value object = expressions.check(*expr.object, scope);
  if (object.isError())
    return object;
  if (object.as<TupleValue>() || object.as<ModuleListValue>())
    return pick(object, expr, scope);
  ExprRef base = conversions.asTensor(object, expr.object->range);
  if (!base)
    return Value();
  size_t mark = ranges.mark();
  std::optional<std::vector<Position>> where = written.positions(expr, base, scope);
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
  return result ? bodies.finishValue(result, mark) : Value();
}

ExprRef Subscripts::applyRanges(ExprRef base, std::vector<Position> &where, SourceRange range) {
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

void Subscripts::oblige(ExprRef subscript, unsigned position, const Dim &extent, SourceRange range,
                        SourceRange baseRange) {
  ExprRef index = subscript->as<Subscript>()->indices[position];
  auto *ref = index->as<IndexRef>();
  if (ref && indexScopes.hasExtent(ref->index) && ref->index->extent == extent)
    return;
  Guards around;
  for (const Guard &guard : guards)
    if (guard.first->type.rank() == 0)
      around.push_back(guard);
  ranges.add({subscript, position, extent, std::move(around), range, baseRange});
}

ExprRef Subscripts::fixedIndices(ExprRef base, const std::vector<Position> &where, SourceRange range,
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
    if (!bounds.require({at, sliced[i] - Dim(1) - at})) {
      reporter
          .error(DiagnosticKind::OutOfRange, where[i].range,
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

ExprRef Subscripts::applyIndices(ExprRef base, const std::vector<Position> &where, SourceRange range,
                                 SourceRange baseRange) {
  bool isOpen = build.isOpen(base), isFixed = true;
  std::vector<unsigned> permutation, rest;
  std::vector<ExprRef> indices;
  std::vector<const Position *> places;
  for (unsigned i = 0; i < where.size(); ++i) {
    if (!where[i].index) {
      rest.push_back(i);
      continue;
    }
    isOpen |= build.isOpen(where[i].index);
    isFixed &= where[i].index->as<Constant>() || where[i].index->as<DimValue>();
    permutation.push_back(i);
    indices.push_back(where[i].index);
    places.push_back(&where[i]);
  }
  if (!isOpen && isFixed)
    return fixedIndices(base, where, range, baseRange);
  permutation.insert(permutation.end(), rest.begin(), rest.end());
  base = build.permute(base, std::move(permutation), range);
  ExprRef result = lets.subscript(base, std::move(indices), range);
  for (unsigned i = 0; i < places.size(); ++i)
    oblige(result, i, base->type.shape[i], places[i]->range, baseRange);
  return result;
}

/// Gathers: table[tokens] is [b, s, d] => table[tokens[b, s], d].
ExprRef Subscripts::gather(ExprRef base, const std::vector<Position> &where, SourceRange range, SourceRange baseRange) {
  std::vector<Index *> over;
  auto overDims = [&](const Shape &shape) {
    std::vector<ExprRef> references;
    for (const Dim &dim : shape) {
      over.push_back(build.newIndex(dim.getLabel().empty() ? "d" : dim.getLabel(), range));
      indexScopes.giveExtent(over.back(), dim, range);
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
        reporter.notSupported(where[i].range, "a second tensor as a subscript (use index notation)");
        return nullptr;
      }
      index = build.cast(lets.elementOf(index, overDims(index->type.shape), where[i].range), Element::Index);
    }
    indices.push_back(index);
  }
  ExprRef element = lets.subscript(base, std::move(indices), range);
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
