#include "frontends/attn/Check/Indices/Elements.h"

#include <algorithm>

namespace attnc::check {

using namespace typed;

//===- Closing ----------------------------------------------------------------------------------------------------===//

std::vector<Index *> Elements::indicesFor(const Shape &shape, size_t from, SourceRange range) {
  std::vector<Index *> indices;
  for (size_t i = from; i < shape.size(); ++i) {
    std::string name = shape[i].getLabel().empty() ? "d" : shape[i].getLabel();
    Index *index = build.newIndex(std::move(name), range);
    index->extent = shape[i];
    indices.push_back(index);
  }
  return indices;
}

Elements::Indices Elements::references(const std::vector<Index *> &indices, SourceRange range) {
  Indices result;
  for (Index *index : indices)
    result.push_back(build.reference(index, range));
  return result;
}

ExprRef Elements::close(ExprRef body, SourceRange range) {
  known.clear();
  factors.clear();
  rowIndices.clear();
  std::vector<Index *> indices;
  // [b] => [i] => e is [b, i] => e.
  while (auto *inner = body->as<Comprehension>()) {
    for (const Index *index : inner->indices)
      indices.push_back(build.indexAt(build.numberOf(index)));
    body = inner->body;
  }
  if (auto *local = body->as<LocalRef>())
    if (const PendingAttend *pending = pendings.find(local->local)) {
      if (!bound.count(local->local))
        closeAttend(*pending, indices);
      if (bound[local->local].around == indices)
        return build.reference(bound[local->local].local, range);
    }
  std::vector<Index *> rows = indicesFor(body->type.shape, 0, range);
  for (Index *index : rows)
    rowIndices.insert(build.numberOf(index));
  ExprRef value = element(body, references(rows, range), {});
  indices.insert(indices.end(), rows.begin(), rows.end());
  Hoisting hoisting;
  value = hoist(value, hoisting, true);
  Shape shape;
  for (Index *index : indices)
    shape.push_back(index->extent);
  value = build.cast(value, value->type.element == Element::Index ? Element::I32 : value->type.element);
  Type type{value->type.element, std::move(shape)};
  std::vector<const Index *> over(indices.begin(), indices.end());
  return build.make(Comprehension{std::move(over), value}, std::move(type), range);
}

void Elements::closeAttend(const PendingAttend &pending, const std::vector<Index *> &outer) {
  Hoisting hoisting;
  hoisting.isAttend = true;
  for (Index *index : outer)
    hoisting.outer.insert(build.numberOf(index));
  for (Index *index : pending.keys)
    hoisting.keys.insert(build.numberOf(index));
  auto formula = [&](ExprRef row, const Indices &at, bool isMasked) -> ExprRef {
    hoisting.isMasked = isMasked;
    return row ? hoist(element(row, at, {}), hoisting, false) : nullptr;
  };
  Attend attend;
  attend.outer.assign(outer.begin(), outer.end());
  attend.keys.assign(pending.keys.begin(), pending.keys.end());
  attend.normaliser = pending.normaliser;
  attend.alpha = pending.alpha;
  attend.weightIn = pending.weightIn;
  attend.yields = pending.statistics;
  attend.module = pending.module;
  attend.top = pending.top;
  attend.summed.assign(pending.summed.begin(), pending.summed.end());
  attend.score = formula(pending.score, {}, /*isMasked=*/pending.mask != nullptr);
  attend.mask = formula(pending.mask, {}, /*isMasked=*/false);
  attend.weight = formula(pending.weight, {}, /*isMasked=*/true); // a score of -inf also masks a pair
  attend.sink = formula(pending.sink, {}, /*isMasked=*/false);
  if (pending.value) {
    std::vector<Index *> values = indicesFor(pending.value->type.shape, 0, pending.value->range);
    attend.values.assign(values.begin(), values.end());
    attend.value = formula(pending.value, references(values, pending.value->range), /*isMasked=*/true);
  }
  std::vector<const Local *> locals;
  for (size_t i = 0; i < pending.yields.size(); ++i) {
    const Local *yield = pending.yields[i];
    std::vector<Index *> own = outer;
    if (infoOf(pending.statistics[i]).isSummed)
      std::erase_if(own, [&](Index *index) {
        return std::find(pending.summed.begin(), pending.summed.end(), index) != pending.summed.end();
      });
    Type type{yield->type.element, {}};
    for (Index *index : own)
      type.shape.push_back(index->extent);
    type.shape.insert(type.shape.end(), yield->type.shape.begin(), yield->type.shape.end());
    const Local *local = build.newLocal(yield->name, std::move(type), yield->range);
    locals.push_back(local);
    bound[yield] = {local, outer, std::move(own)};
  }
  Type type = locals.front()->type;
  lets.let(locals, build.make(std::move(attend), std::move(type), pending.range));
}

//===- The element of a row ---------------------------------------------------------------------------------------===//

ExprRef Elements::element(ExprRef row, const Indices &at, const Environment &environment) {
  std::vector<std::pair<unsigned, ExprRef>> relevant;
  for (const auto &[index, meaning] : environment)
    if (build.freeOf(row).indices.count(index))
      relevant.emplace_back(index, meaning);
  Key key{row, at, relevant};
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  ExprRef result = elementOf(row, at, Environment(relevant.begin(), relevant.end()));
  if (factors.contains(row)) // a copy with other indices
    factors.insert(result);
  known.emplace(std::move(key), result);
  return result;
}

ExprRef Elements::ofClosed(ExprRef row, const Indices &at) {
  if (at.empty()) {
    if (row->as<Constant>() || row->as<DimValue>() || row->as<StepRef>())
      return row;
    // Cheap enough to recompute at each use.
    if (row->as<Elementwise>() || row->as<Cast>())
      return rebuild(row, [&](ExprRef operand) { return element(operand, {}, {}); });
  }
  if (auto *fill = row->as<Fill>())
    return element(fill->value, {}, {});
  ExprRef base = lets.bind("", row, row->range);
  return read(base, at, std::vector<InRange>(at.size(), InRange::Proved), row->range);
}

ExprRef Elements::read(ExprRef base, const Indices &at, std::vector<InRange> inRange, SourceRange range) {
  return build.make(Subscript{base, at, std::move(inRange)}, {base->type.element, {}}, range);
}

ExprRef Elements::elementOf(ExprRef row, const Indices &at, const Environment &environment) {
  if (!build.isOpen(row) && !row->as<Subscript>() && !row->as<IndexReduction>())
    return ofClosed(row, at);
  if (auto *node = row->as<IndexRef>()) {
    auto meaning = environment.find(build.numberOf(node->index));
    return meaning == environment.end() ? row : meaning->second;
  }
  if (row->as<Elementwise>())
    return ofElementwise(row, at, environment);
  if (auto *node = row->as<Cast>())
    return build.cast(element(node->operand, at, environment), row->type.element);
  if (row->as<MatMul>())
    return ofMatMul(row, at, environment);
  if (row->as<AxisReduction>())
    return ofAxisReduction(row, at, environment);
  if (auto *node = row->as<Permute>()) {
    Indices before(at.size());
    for (size_t i = 0; i < at.size(); ++i)
      before[node->permutation[i]] = at[i];
    return element(node->source, before, environment);
  }
  if (row->as<Reshape>())
    return ofReshape(row, at, environment);
  if (auto *node = row->as<Slice>()) {
    Indices before = at;
    for (size_t i = 0; i < at.size(); ++i)
      if (!node->offsets[i].is(0))
        before[i] = build.elementwise(Op::Add, {at[i], build.size(node->offsets[i], row->range)}, row->range);
    return element(node->source, before, environment);
  }
  if (row->as<Concat>())
    return ofConcat(row, at, environment);
  if (auto *node = row->as<Fill>())
    return element(node->value, {}, environment);
  if (auto *node = row->as<Comprehension>()) {
    Environment inner = environment;
    for (size_t i = 0; i < node->indices.size(); ++i)
      inner[build.numberOf(node->indices[i])] = at[i];
    return element(node->body, Indices(at.begin() + static_cast<ptrdiff_t>(node->indices.size()), at.end()), inner);
  }
  if (row->as<Subscript>())
    return ofSubscript(row, at, environment);
  if (row->as<IndexReduction>())
    return ofReduction(row, at, environment);
  if (row->as<Draw>())
    return rebuild(row, [&](ExprRef index) { return element(index, {}, environment); });
  return ofLocal(row, at, environment);
}

ExprRef Elements::ofElementwise(ExprRef row, const Indices &at, const Environment &environment) {
  std::vector<ExprRef> operands;
  for (ExprRef operand : row->as<Elementwise>()->operands) {
    size_t rank = operand->type.rank(), offset = at.size() - rank;
    Indices own;
    for (size_t i = 0; i < rank; ++i) {
      bool repeats = operand->type.shape[i].is(1) && !row->type.shape[offset + i].is(1);
      own.push_back(repeats ? build.integer(0, Element::Index, row->range) : at[offset + i]);
    }
    operands.push_back(element(operand, own, environment));
  }
  return build.elementwise(row->as<Elementwise>()->op, std::move(operands), row->range);
}

/// Appends the indices of a batch dimension of an operand: 0 if the dimension is broadcast.
static void appendBatch(std::vector<ExprRef> &own, Builder &build, ExprRef operand, size_t batch,
                        const std::vector<ExprRef> &at, size_t resultBatch) {
  for (size_t i = 0; i < batch; ++i)
    own.push_back(operand->type.shape[i].is(1) ? build.integer(0, Element::Index, operand->range)
                                               : at[resultBatch - batch + i]);
}

ExprRef Elements::ofMatMul(ExprRef row, const Indices &at, const Environment &environment) {
  const MatMul &node = *row->as<MatMul>();
  size_t aRank = node.a->type.rank(), bRank = node.b->type.rank();
  size_t kept = (aRank > 1) + (bRank > 1), batch = at.size() - kept;
  Index *over = build.newIndex("k", row->range);
  over->extent = node.a->type.shape.back();
  ExprRef k = build.reference(over, row->range);
  Indices a, b;
  appendBatch(a, build, node.a, aRank > 1 ? aRank - 2 : 0, at, batch);
  appendBatch(b, build, node.b, bRank > 1 ? bRank - 2 : 0, at, batch);
  if (aRank > 1)
    a.push_back(at[batch]);
  a.push_back(k);
  b.push_back(k);
  if (bRank > 1)
    b.push_back(at.back());
  ExprRef left = element(node.a, a, environment), right = element(node.b, b, environment);
  // Each row of a is multiplied with all columns of b, and each column of b with all rows of a.
  if (left->as<Elementwise>() && bRank > 1)
    factors.insert(left);
  if (right->as<Elementwise>() && aRank > 1)
    factors.insert(right);
  ExprRef term = build.elementwise(Op::Mul, {left, right}, row->range);
  return build.reduction(Combiner::Add, {over}, nullptr, term, row->range);
}

ExprRef Elements::ofAxisReduction(ExprRef row, const Indices &at, const Environment &environment) {
  const AxisReduction &node = *row->as<AxisReduction>();
  std::vector<Index *> over;
  Indices before;
  size_t next = 0;
  for (unsigned axis = 0; axis < node.source->type.rank(); ++axis) {
    if (!std::count(node.axes.begin(), node.axes.end(), axis)) {
      before.push_back(at[next++]);
      continue;
    }
    Index *index = build.newIndex("k", row->range);
    index->extent = node.source->type.shape[axis];
    over.push_back(index);
    before.push_back(build.reference(index, row->range));
  }
  return build.reduction(node.combiner, over, nullptr, element(node.source, before, environment), row->range);
}

ExprRef Elements::ofReshape(ExprRef row, const Indices &at, const Environment &environment) {
  const Reshape &node = *row->as<Reshape>();
  SourceRange range = row->range;
  auto size = [&](const Dim &dim) { return build.size(dim, range); };
  Indices before;
  size_t from = 0, to = 0;
  for (Reshape::Group group : node.groups) {
    // The position within the group, then its indices in the source.
    ExprRef place = build.integer(0, Element::Index, range);
    for (size_t i = 0; i < group.results; ++i) {
      if (i > 0)
        place = build.elementwise(Op::Mul, {place, size(row->type.shape[to + i])}, range);
      place = i == 0 ? at[to] : build.elementwise(Op::Add, {place, at[to + i]}, range);
    }
    Indices sources(group.sources);
    for (size_t i = group.sources; i-- > 0;) {
      const Dim &extent = node.source->type.shape[from + i];
      sources[i] = i == 0 ? place : build.elementwise(Op::Rem, {place, size(extent)}, range);
      if (i > 0)
        place = build.elementwise(Op::Div, {place, size(extent)}, range);
    }
    before.insert(before.end(), sources.begin(), sources.end());
    from += group.sources;
    to += group.results;
  }
  return element(node.source, before, environment);
}

ExprRef Elements::ofConcat(ExprRef row, const Indices &at, const Environment &environment) {
  const Concat &node = *row->as<Concat>();
  SourceRange range = row->range;
  ExprRef result = nullptr;
  // at[axis] >= begin ? this part : the parts before it
  std::vector<std::pair<ExprRef, Dim>> parts;
  Dim begin(0);
  for (ExprRef part : node.parts) {
    parts.emplace_back(part, begin);
    begin = begin + part->type.shape[node.axis];
  }
  for (const auto &[part, start] : parts) {
    Indices own = at;
    ExprRef offset = build.elementwise(Op::Sub, {at[node.axis], build.size(start, range)}, range);
    own[node.axis] = keptInRange(offset, part->type.shape[node.axis], {Side::Clamped, Side::Clamped});
    ExprRef value = element(part, own, environment);
    if (!result) {
      result = value;
      continue;
    }
    ExprRef isHere = build.elementwise(Op::Ge, {at[node.axis], build.size(start, range)}, range);
    result = build.elementwise(Op::Select, {isHere, value, result}, range);
  }
  return result;
}

ExprRef Elements::keptInRange(ExprRef index, const Dim &extent, const Verdict &verdict) {
  if (verdict.upper == Side::Clamped)
    index = build.elementwise(Op::Min, {index, build.size(extent - Dim(1), index->range)}, index->range);
  if (verdict.lower == Side::Clamped)
    index = build.elementwise(Op::Max, {index, build.integer(0, Element::Index, index->range)}, index->range);
  return index;
}

ExprRef Elements::ofSubscript(ExprRef row, const Indices &at, const Environment &environment) {
  const Subscript &node = *row->as<Subscript>();
  Indices all;
  std::vector<InRange> inRange;
  for (unsigned i = 0; i < node.indices.size(); ++i) {
    Verdict verdict = ranges.verdictOf(row, i);
    bool isRuntime =
        node.inRange[i] == InRange::Runtime || verdict.lower == Side::Runtime || verdict.upper == Side::Runtime;
    all.push_back(keptInRange(element(node.indices[i], {}, environment), node.base->type.shape[i], verdict));
    inRange.push_back(isRuntime ? InRange::Runtime : InRange::Proved);
  }
  all.insert(all.end(), at.begin(), at.end());
  inRange.resize(all.size(), InRange::Proved);
  if (build.isOpen(node.base))
    return element(node.base, all, environment);
  return read(node.base, all, std::move(inRange), row->range);
}

ExprRef Elements::ofReduction(ExprRef row, const Indices &at, const Environment &environment) {
  const IndexReduction &node = *row->as<IndexReduction>();
  // Each inlining of a reduction creates new indices, because the environment may differ.
  Environment inner = environment;
  std::vector<Index *> over;
  for (const Index *index : node.indices) {
    Index *own = build.newIndex(index->name, index->range);
    own->extent = index->extent;
    over.push_back(own);
    inner[build.numberOf(index)] = build.reference(own, row->range);
  }
  ExprRef filter = node.filter ? element(node.filter, {}, inner) : nullptr;
  return build.reduction(node.combiner, over, filter, element(node.body, at, inner), row->range);
}

ExprRef Elements::ofLocal(ExprRef row, const Indices &at, const Environment &environment) {
  const Local *local = row->as<LocalRef>()->local;
  const PendingAttend *pending = pendings.find(local);
  if (!pending)
    return row; // the `w` of a weight
  if (!bound.count(local)) {
    std::vector<Index *> outer;
    for (unsigned number : build.freeOf(row).indices)
      outer.push_back(build.indexAt(number));
    closeAttend(*pending, outer);
  }
  const BoundYield &yield = bound[local];
  Indices all;
  for (Index *index : yield.outer)
    all.push_back(element(build.reference(index, row->range), {}, environment));
  all.insert(all.end(), at.begin(), at.end());
  return read(build.reference(yield.local, row->range), all, std::vector<InRange>(all.size(), InRange::Proved),
              row->range);
}

} // namespace attnc::check
