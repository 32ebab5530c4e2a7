#include "compiler/Codegen/CPU/Attend/AttendMask.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace attnc {

//===-------------------------------------------- reading the tree --------------------------------------------===//

AttendMask::AttendMask(const AttendProblem &problem) : problem(problem), uses(problem.op) {
  attn::AttendOp op = problem.op;
  if (problem.hasMask())
    root = read(AttendProblem::yielded(op.getMask()));
}

unsigned AttendMask::make(Kind kind, ArrayRef<unsigned> children) {
  Node node;
  node.kind = kind;
  node.children.assign(children.begin(), children.end());
  opaque |= kind == Kind::Opaque;
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

unsigned AttendMask::read(Value condition) {
  Operation *definer = condition.getDefiningOp();
  if (definer && isa<arith::AndIOp, arith::OrIOp>(definer)) {
    unsigned a = read(definer->getOperand(0)), b = read(definer->getOperand(1));
    return make(isa<arith::AndIOp>(definer) ? Kind::And : Kind::Or, {a, b});
  }
  if (definer && isa<arith::XOrIOp>(definer) && matchPattern(definer->getOperand(1), m_One()))
    return make(Kind::Not, {read(definer->getOperand(0))});
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>())
    return readComparison(compare);
  // A flag of the row or of the key: it is kept where it is not zero.
  return makeComparison(CmpIPredicate::ne, {{condition, 1}});
}

unsigned AttendMask::readComparison(arith::CmpIOp compare) {
  CmpIPredicate predicate = compare.getPredicate();
  Value left = compare.getLhs(), right = compare.getRhs();
  bool isSigned = predicate <= CmpIPredicate::sge;
  bool isFlag = left.getType().isInteger(1);
  if (!isSigned || isFlag)
    return make(Kind::Opaque, {});
  if (right.getDefiningOp<math::AbsIOp>()) {
    static constexpr CmpIPredicate swapped[] = {CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::sgt,
                                                CmpIPredicate::sge, CmpIPredicate::slt, CmpIPredicate::sle};
    predicate = swapped[unsigned(predicate)];
    std::swap(left, right);
  }
  if (auto distance = left.getDefiningOp<math::AbsIOp>()) {
    bool below = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
    bool above = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
    if (!below && !above)
      return make(Kind::Opaque, {});
    Value inside = distance.getOperand();
    unsigned a = makeComparison(predicate, {{inside, 1}, {right, -1}});
    unsigned b = makeComparison(predicate, {{inside, -1}, {right, -1}});
    return make(below ? Kind::And : Kind::Or, {a, b});
  }
  return makeComparison(predicate, {{left, 1}, {right, -1}});
}

unsigned AttendMask::makeComparison(CmpIPredicate predicate, ArrayRef<std::pair<Value, int>> sum) {
  Node node;
  node.kind = Kind::Compare;
  node.predicate = predicate;
  for (auto [value, sign] : sum)
    if (!separate(value, sign, node))
      return make(Kind::Opaque, {});
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

/// Splits a sum into terms of the key and terms of the row.
bool AttendMask::separate(Value value, int sign, Node &node) {
  bool ofKey = uses.of(value) & IndexUses::anyKey;
  bool ofRow = uses.of(value) & problem.rowUses();
  bool isSum = value.getDefiningOp() && isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp>(value.getDefiningOp());
  if (isSum && (ofKey || ofRow) && !value.getType().isInteger(1)) {
    Operation *definer = value.getDefiningOp();
    if (!separate(definer->getOperand(0), sign, node))
      return false;
    return isa<arith::IndexCastOp>(definer) ||
           separate(definer->getOperand(1), isa<arith::SubIOp>(definer) ? -sign : sign, node);
  }
  if (ofKey && ofRow)
    return false;
  if (!value.getType().isIntOrIndex())
    return false;
  (ofKey ? node.keyTerms : node.rowTerms).push_back({value, sign});
  return true;
}

bool AttendMask::isPlainKey(Value value) const { return problem.keySizes.size() == 1 && isa<BlockArgument>(value); }

//===-------------------------------------------- extrema -----------------------------------------------------===//

static Value termAsIndex(LoopBuilder &loops, RegionVectoriser &point, Value term) {
  OpBuilder &builder = loops.builder;
  if (term.getType().isIndex()) {
    LaneIndex index = point.evaluateIndex(term);
    if (index.base)
      return index.base;
  }
  Value value = point.evaluate(term);
  if (value.getType().isIndex())
    return value;
  if (value.getType().isInteger(1))
    return arith::IndexCastUIOp::create(builder, loops.location, builder.getIndexType(), value);
  return arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), value);
}

static Value sumOf(LoopBuilder &loops, RegionVectoriser &point, ArrayRef<std::pair<Value, int>> terms) {
  Value sum = loops.constant(0);
  for (auto [term, sign] : terms) {
    Value value = termAsIndex(loops, point, term);
    sum = sign > 0 ? loops.add(sum, value) : loops.sub(sum, value);
  }
  return sum;
}

static std::pair<Value, Value> noExtrema(LoopBuilder &loops) {
  return {loops.constant(int64_t(1) << 62), loops.constant(-(int64_t(1) << 62))};
}

/// Whether the sum of a node's row terms is extreme at the first or the last of consecutive rows.
bool AttendMask::hasPlainRows(const Node &node) {
  return llvm::all_of(node.rowTerms, [&](auto &term) {
    return isa<BlockArgument>(term.first) || !(uses.of(term.first) & problem.rowUses());
  });
}

void AttendMask::setExtremaOfEnds(LoopBuilder &loops, const RowRange &rows, Node &node) {
  Value last = loops.add(loops.add(rows.first, rows.count), -1);
  RegionVectoriser atFirst = rows.bindRow(rows.first), atLast = rows.bindRow(last);
  Value a = sumOf(loops, atFirst, node.rowTerms), b = sumOf(loops, atLast, node.rowTerms);
  node.rowMin = loops.min(a, b);
  node.rowMax = loops.max(a, b);
}

void AttendMask::prepareRows(LoopBuilder &loops, const RowRange &rows) {
  SmallVector<Node *> scanned;
  for (Node &node : nodes) {
    if (node.kind != Kind::Compare)
      continue;
    if (rows.monotone && hasPlainRows(node))
      setExtremaOfEnds(loops, rows, node);
    else
      scanned.push_back(&node);
  }
  if (scanned.empty())
    return;
  LoopBuilder::Values extrema;
  for (size_t i = 0; i < scanned.size(); ++i) {
    auto [least, greatest] = noExtrema(loops);
    extrema.append({least, greatest});
  }
  extrema = loops.loop(rows.first, loops.add(rows.first, rows.count), loops.constant(1), extrema,
                       [&](Value row, ValueRange carried) {
                         RegionVectoriser point = rows.bindRow(row);
                         LoopBuilder::Values next;
                         for (auto [i, node] : llvm::enumerate(scanned)) {
                           Value sum = sumOf(loops, point, node->rowTerms);
                           next.append({loops.min(carried[2 * i], sum), loops.max(carried[2 * i + 1], sum)});
                         }
                         return next;
                       });
  for (auto [i, node] : llvm::enumerate(scanned)) {
    node->rowMin = extrema[2 * i];
    node->rowMax = extrema[2 * i + 1];
  }
}

//===-------------------------------------------- ranges ------------------------------------------------------===//

AttendMask::KeyRange AttendMask::keyRange(LoopBuilder &loops, Value keys) {
  KeyRange range = {loops.constant(0), keys};
  if (problem.hasMask())
    narrow(loops, root, range);
  return range;
}

Value AttendMask::keyEnd(LoopBuilder &loops, const RowRange &rows, Value keys) const {
  AttendMask part = *this;
  for (Node &node : part.nodes) {
    if (node.kind != Kind::Compare)
      continue;
    if (rows.monotone && part.hasPlainRows(node))
      setExtremaOfEnds(loops, rows, node);
    else
      node.kind = Kind::Opaque;
  }
  Value end = part.keyRange(loops, keys).end;
  return end == keys ? Value() : end;
}

void AttendMask::narrow(LoopBuilder &loops, unsigned number, KeyRange &range) {
  const Node &node = nodes[number];
  if (node.kind == Kind::And)
    for (unsigned child : node.children)
      narrow(loops, child, range);
  if (node.kind != Kind::Compare || node.keyTerms.size() != 1 || !isPlainKey(node.keyTerms[0].first))
    return;
  // sign * key + row  <predicate>  0. For sign = 1 the bound of the key is -row, for sign = -1 it is row.
  bool positive = node.keyTerms[0].second > 0;
  Value zero = loops.constant(0);
  Value boundMin = positive ? loops.sub(zero, node.rowMax) : node.rowMin;
  Value boundMax = positive ? loops.sub(zero, node.rowMin) : node.rowMax;
  auto below = [&](Value end) { range.end = loops.max(zero, loops.min(range.end, end)); };
  auto from = [&](Value begin) { range.begin = loops.max(range.begin, begin); };
  switch (node.predicate) {
  case CmpIPredicate::slt:
    return positive ? below(boundMax) : from(loops.add(boundMin, 1));
  case CmpIPredicate::sle:
    return positive ? below(loops.add(boundMax, 1)) : from(boundMin);
  case CmpIPredicate::sgt:
    return positive ? from(loops.add(boundMin, 1)) : below(boundMax);
  case CmpIPredicate::sge:
    return positive ? from(boundMin) : below(loops.add(boundMax, 1));
  case CmpIPredicate::eq:
    from(boundMin);
    return below(loops.add(boundMax, 1));
  default:
    return;
  }
}

//===-------------------------------------------- deciding a block --------------------------------------------===//

AttendMask::Decision AttendMask::decide(LoopBuilder &loops, Value firstKey, Value count,
                                        function_ref<RegionVectoriser(Value)> bindKey) {
  if (!problem.hasMask())
    return {loops.boolean(true), loops.boolean(true)};
  return decideNode(loops, root, firstKey, count, bindKey);
}

static AttendMask::Decision compareExtrema(LoopBuilder &loops, CmpIPredicate predicate, Value least, Value greatest) {
  Value zero = loops.constant(0);
  auto is = [&](CmpIPredicate relation, Value value) { return loops.compare(relation, value, zero); };
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
    return {is(predicate, least), is(predicate, greatest)};
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
    return {is(predicate, greatest), is(predicate, least)};
  default: {
    Value mayBeZero = loops.both(is(CmpIPredicate::sle, least), is(CmpIPredicate::sge, greatest));
    Value isZero = loops.both(is(CmpIPredicate::eq, least), is(CmpIPredicate::eq, greatest));
    Value one = loops.boolean(true);
    auto no = [&](Value value) -> Value { return arith::XOrIOp::create(loops.builder, loops.location, value, one); };
    if (predicate == CmpIPredicate::eq)
      return {mayBeZero, isZero};
    return {no(isZero), no(mayBeZero)};
  }
  }
}

AttendMask::Decision AttendMask::decideNode(LoopBuilder &loops, unsigned number, Value firstKey, Value count,
                                            function_ref<RegionVectoriser(Value)> bindKey) {
  const Node &node = nodes[number];
  Value one = loops.boolean(true);
  auto negate = [&](Value value) -> Value { return arith::XOrIOp::create(loops.builder, loops.location, value, one); };
  switch (node.kind) {
  case Kind::Opaque:
    return {one, loops.boolean(false)};
  case Kind::Not: {
    Decision inner = decideNode(loops, node.children[0], firstKey, count, bindKey);
    return {negate(inner.all), negate(inner.some)};
  }
  case Kind::And:
  case Kind::Or: {
    Decision a = decideNode(loops, node.children[0], firstKey, count, bindKey);
    Decision b = decideNode(loops, node.children[1], firstKey, count, bindKey);
    if (node.kind == Kind::And)
      return {loops.both(a.some, b.some), loops.both(a.all, b.all)};
    return {loops.either(a.some, b.some), loops.either(a.all, b.all)};
  }
  case Kind::Compare:
    break;
  }
  Value end = loops.add(firstKey, count), keyMin = loops.constant(0), keyMax = keyMin;
  if (node.keyTerms.size() == 1 && isPlainKey(node.keyTerms[0].first)) {
    Value last = loops.add(end, -1);
    bool positive = node.keyTerms[0].second > 0;
    keyMin = positive ? firstKey : loops.sub(loops.constant(0), last);
    keyMax = positive ? last : loops.sub(loops.constant(0), firstKey);
  } else if (!node.keyTerms.empty()) {
    auto [least, greatest] = noExtrema(loops);
    auto extrema = loops.loop(firstKey, end, loops.constant(1), {least, greatest}, [&](Value key, ValueRange carried) {
      RegionVectoriser point = bindKey(key);
      Value sum = sumOf(loops, point, node.keyTerms);
      return LoopBuilder::Values{loops.min(carried[0], sum), loops.max(carried[1], sum)};
    });
    keyMin = extrema[0];
    keyMax = extrema[1];
  }
  return compareExtrema(loops, node.predicate, loops.add(keyMin, node.rowMin), loops.add(keyMax, node.rowMax));
}

} // namespace attnc
