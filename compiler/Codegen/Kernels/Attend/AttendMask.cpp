#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>
#include <numeric>

using namespace mlir;
using arith::CmpIPredicate;

namespace attnc {

//===-------------------------------------------- reading the tree --------------------------------------------===//

AttendMask::AttendMask(const AttendProblem &problem) : problem(problem), uses(problem.op) {
  attn::AttendOp op = problem.op;
  if (problem.hasMask())
    root = read(AttendProblem::yielded(op.getMask()));
}

void AttendMask::assumeCongruence() {
  keyStep = problem.classes->modulus;
  attn::AttendOp op = problem.op;
  nodes.clear();
  root = read(AttendProblem::yielded(op.getMask()));
}

unsigned AttendMask::make(Kind kind, ArrayRef<unsigned> children) {
  Node node;
  node.kind = kind;
  node.children.assign(children.begin(), children.end());
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

/// Whether the value depends on the key and on the row.
bool AttendMask::isMixed(Value value) {
  return (uses.of(value) & IndexUses::anyKey) && (uses.of(value) & problem.rowUses());
}

unsigned AttendMask::read(Value condition) {
  if (keyStep > 1 && condition == problem.classes->condition)
    return make(Kind::Always, {});
  Operation *definer = condition.getDefiningOp();
  if (definer && isa<arith::AndIOp, arith::OrIOp>(definer)) {
    unsigned a = read(definer->getOperand(0)), b = read(definer->getOperand(1));
    return make(isa<arith::AndIOp>(definer) ? Kind::And : Kind::Or, {a, b});
  }
  if (definer && isa<arith::XOrIOp>(definer) && matchPattern(definer->getOperand(1), m_One()))
    return make(Kind::Not, {read(definer->getOperand(0))});
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  bool isSigned = compare && compare.getPredicate() <= CmpIPredicate::sge;
  if (isSigned && !compare.getLhs().getType().isInteger(1)) {
    unsigned found = readComparison(compare.getPredicate(), {{compare.getLhs(), 1}, {compare.getRhs(), -1}});
    return nodes[found].kind == Kind::Opaque ? readCondition(condition) : found;
  }
  // A flag of the row or of the key: not zero means unmasked.
  return isMixed(condition) ? readCondition(condition) : readComparison(CmpIPredicate::ne, {{condition, 1}});
}

/// max(a, b) < 0 is a < 0 and b < 0, max(a, b) > 0 is a > 0 or b > 0; |x| is max(x, -x), and so on.
unsigned AttendMask::readComparison(CmpIPredicate predicate, const Terms &sum) {
  Terms terms;
  for (auto [value, sign] : sum)
    separate(value, sign, terms);
  auto mixed = llvm::find_if(terms, [&](auto &term) { return isMixed(term.first); });
  if (mixed != terms.end()) {
    auto [value, sign] = *mixed;
    Operation *op = value.getDefiningOp();
    bool isBelow = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
    bool isAbove = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
    if (!isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp, math::AbsIOp>(op) || (!isBelow && !isAbove))
      return make(Kind::Opaque, {});
    bool isGreater = isa<arith::MinSIOp>(op) ? sign < 0 : sign > 0, isMagnitude = isa<math::AbsIOp>(op);
    Terms left = terms, right = terms;
    left[mixed - terms.begin()].first = op->getOperand(0);
    right[mixed - terms.begin()] = {op->getOperand(isMagnitude ? 0 : 1), isMagnitude ? -sign : sign};
    unsigned a = readComparison(predicate, left), b = readComparison(predicate, right);
    return make(isBelow == isGreater ? Kind::And : Kind::Or, {a, b});
  }
  Node node;
  node.kind = Kind::Compare;
  node.predicate = predicate;
  for (auto &term : terms)
    (uses.of(term.first) & IndexUses::anyKey ? node.keyTerms : node.rowTerms).push_back(term);
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

/// Splits a sum into terms that depend on the key and all others. Sums of 32 bits are not split: they may wrap around.
void AttendMask::separate(Value value, int sign, Terms &into) {
  Operation *definer = value.getDefiningOp();
  bool isSum = isa_and_nonnull<arith::AddIOp, arith::SubIOp>(definer) && value.getType().isIndex();
  if (!(uses.of(value) & IndexUses::anyKey) || (!isSum && !isa_and_nonnull<arith::IndexCastOp>(definer))) {
    into.push_back({value, sign});
    return;
  }
  separate(definer->getOperand(0), sign, into);
  if (!isa<arith::IndexCastOp>(definer))
    separate(definer->getOperand(1), isa<arith::SubIOp>(definer) ? -sign : sign, into);
}

unsigned AttendMask::readCondition(Value condition) {
  tensor::ExtractOp element;
  if (!findElement(condition, element))
    return make(Kind::Opaque, {});
  Node node;
  node.kind = Kind::Table;
  node.condition = condition;
  node.element = element;
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

/// Whether the value depends on rows and keys only through one loaded element, each of whose subscripts depends on one
/// of them.
bool AttendMask::findElement(Value value, tensor::ExtractOp &element) {
  if (!(uses.of(value) & (IndexUses::anyKey | problem.rowUses())))
    return true;
  Operation *definer = value.getDefiningOp();
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(definer); extract && isMixed(value)) {
    bool isOther = element && element != extract;
    element = extract;
    return !isOther && llvm::none_of(extract.getIndices(), [&](Value subscript) { return isMixed(subscript); });
  }
  return isMixed(value) && definer && definer->getNumRegions() == 0 &&
         llvm::all_of(definer->getOperands(), [&](Value operand) { return findElement(operand, element); });
}

//===-------------------------------------------- rows --------------------------------------------------------===//

static Value sumOf(LoopBuilder &loops, RegionVectoriser &point, ArrayRef<std::pair<Value, int>> terms) {
  Value sum = loops.constant(0);
  for (auto [term, sign] : terms) {
    Value value = AttendIntervals::indexAt(loops, point, term);
    sum = sign > 0 ? loops.add(sum, value) : loops.sub(sum, value);
  }
  return sum;
}

static Interval noInterval(LoopBuilder &loops) {
  return {loops.constant(int64_t(1) << 62), loops.constant(-(int64_t(1) << 62))};
}

static Interval addTerm(LoopBuilder &loops, const Interval &sum, const Interval &term, int sign) {
  if (sign > 0)
    return {loops.add(sum.least, term.least), loops.add(sum.greatest, term.greatest)};
  return {loops.sub(sum.least, term.greatest), loops.sub(sum.greatest, term.least)};
}

std::optional<Interval> AttendMask::intervalOf(LoopBuilder &loops, AttendIntervals &intervals, const Terms &terms) {
  Interval sum = {loops.constant(0), loops.constant(0)};
  for (auto [term, sign] : terms) {
    auto interval = intervals.of(term);
    if (!interval)
      return std::nullopt;
    sum = addTerm(loops, sum, *interval, sign);
  }
  return sum;
}

static AttendIntervals intervalsOfRows(LoopBuilder &loops, const AttendProblem &problem, IndexUses &uses,
                                       const AttendMask::RowRange &rows) {
  Value last = loops.add(loops.add(rows.first, rows.count), -1);
  return AttendIntervals(loops, problem, uses, /*ofKeys=*/false, rows.bindRow(rows.first), rows.bindRow(last));
}

void AttendMask::prepareRows(LoopBuilder &loops, const RowRange &rows) {
  SmallVector<Node *> scanned;
  std::optional<AttendIntervals> intervals;
  if (rows.inOrder && problem.hasMask())
    intervals.emplace(intervalsOfRows(loops, problem, uses, rows));
  for (Node &node : nodes) {
    if (node.kind == Kind::Table && intervals)
      prepareTable(*intervals, node);
    if (node.kind != Kind::Compare)
      continue;
    if (auto known = intervals ? intervalOf(loops, *intervals, node.rowTerms) : std::nullopt)
      node.rows = *known;
    else
      scanned.push_back(&node);
  }
  scanRows(loops, rows, scanned);
}

void AttendMask::scanRows(LoopBuilder &loops, const RowRange &rows, ArrayRef<Node *> scanned) {
  if (scanned.empty())
    return;
  LoopBuilder::Values extrema;
  for (size_t i = 0; i < scanned.size(); ++i)
    extrema.append({noInterval(loops).least, noInterval(loops).greatest});
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
  for (auto [i, node] : llvm::enumerate(scanned))
    node->rows = {extrema[2 * i], extrema[2 * i + 1]};
}

void AttendMask::prepareTable(AttendIntervals &intervals, Node &node) {
  node.rowSubscripts.clear();
  for (Value subscript : node.element.getIndices()) {
    bool ofKey = uses.of(subscript) & IndexUses::anyKey;
    auto interval = ofKey ? Interval() : intervals.of(subscript);
    if (!interval) {
      node.rowSubscripts.clear();
      return;
    }
    node.rowSubscripts.push_back(*interval);
  }
}

//===-------------------------------------------- ranges ------------------------------------------------------===//

AttendMask::KeyRange AttendMask::keyRange(LoopBuilder &loops, Value keys, const RegionVectoriser &batch) {
  KeyRange range = {loops.constant(0), keys};
  RegionVectoriser point = batch;
  if (problem.hasMask())
    narrow(loops, root, range, point);
  return range;
}

Value AttendMask::keyEnd(LoopBuilder &loops, const RowRange &rows, Value keys, const RegionVectoriser &batch) const {
  if (!rows.inOrder || !problem.hasMask())
    return {};
  AttendMask part = *this;
  AttendIntervals intervals = intervalsOfRows(loops, problem, part.uses, rows);
  for (Node &node : part.nodes) {
    if (node.kind != Kind::Compare)
      continue;
    if (auto known = part.intervalOf(loops, intervals, node.rowTerms))
      node.rows = *known;
    else
      node.kind = Kind::Opaque;
  }
  Value end = part.keyRange(loops, keys, batch).end;
  return end == keys ? Value() : end;
}

bool AttendMask::keyEndDependsOnRows() {
  return llvm::any_of(nodes, [&](const Node &node) {
    return node.kind == Kind::Compare && !node.keyTerms.empty() &&
           llvm::any_of(node.rowTerms, [&](auto &term) { return uses.of(term.first) & problem.rowUses(); });
  });
}

/// The divisor, if the value is the number of the batch's key divided by another number, rounded down; otherwise null.
Value AttendMask::keysOfUnit(LoopBuilder &loops, Value value, RegionVectoriser &point) const {
  attn::AttendOp op = problem.op;
  if (auto index = dyn_cast<BlockArgument>(value)) {
    if (index.getArgNumber() != op.getNumOuter())
      return {};
    Value unit = loops.constant(1);
    for (Value size : op.getKeySizes().drop_front())
      unit = loops.mul(unit, AttendIntervals::indexAt(loops, point, size));
    return unit;
  }
  auto divide = value.getDefiningOp<arith::FloorDivSIOp>();
  auto by = divide ? getConstantIntValue(divide.getRhs()) : std::nullopt;
  Value unit = by && *by > 0 ? keysOfUnit(loops, divide.getLhs(), point) : Value();
  return unit ? loops.mul(unit, *by) : Value();
}

void AttendMask::narrow(LoopBuilder &loops, unsigned number, KeyRange &range, RegionVectoriser &point) {
  const Node &node = nodes[number];
  if (node.kind == Kind::And)
    for (unsigned child : node.children)
      narrow(loops, child, range, point);
  if (node.kind != Kind::Compare || node.keyTerms.size() != 1)
    return;
  Value unit = keysOfUnit(loops, node.keyTerms[0].first, point);
  if (!unit)
    return;
  // sign * unit + row  <predicate>  0. For sign = 1 the bound of the unit is -row, for sign = -1 it is row.
  bool positive = node.keyTerms[0].second > 0;
  Value zero = loops.constant(0);
  Value boundMin = positive ? loops.sub(zero, node.rows.greatest) : node.rows.least;
  Value boundMax = positive ? loops.sub(zero, node.rows.least) : node.rows.greatest;
  auto below = [&](Value end) { range.end = loops.max(zero, loops.min(range.end, loops.mul(end, unit))); };
  auto from = [&](Value begin) { range.begin = loops.max(range.begin, loops.mul(begin, unit)); };
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

int64_t AttendMask::keysOfElement() {
  int64_t keys = 0;
  attn::AttendOp op = problem.op;
  for (Node &node : nodes)
    if (node.kind == Kind::Table)
      for (Value subscript : node.element.getIndices())
        if (int64_t divisor = IndexUses::divisorOf(subscript, op.getMask().getArguments().back()))
          keys = std::gcd(keys, divisor);
  return op.getNumKeys() == 1 ? keys : 0;
}

//===-------------------------------------------- deciding a block --------------------------------------------===//

AttendMask::Decision AttendMask::decide(LoopBuilder &loops, Value firstKey, Value count, BindKey bindKey) {
  if (!problem.hasMask())
    return {loops.boolean(true), loops.boolean(true), loops.boolean(false)};
  return decideNode(loops, root, {firstKey, loops.add(firstKey, count)}, bindKey);
}

static AttendMask::Decision compareExtrema(LoopBuilder &loops, CmpIPredicate predicate, Value least, Value greatest) {
  Value zero = loops.constant(0), unsure = loops.boolean(false);
  auto is = [&](CmpIPredicate relation, Value value) { return loops.compare(relation, value, zero); };
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
    return {is(predicate, least), is(predicate, greatest), unsure};
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
    return {is(predicate, greatest), is(predicate, least), unsure};
  default: {
    Value mayBeZero = loops.both(is(CmpIPredicate::sle, least), is(CmpIPredicate::sge, greatest));
    Value isZero = loops.both(is(CmpIPredicate::eq, least), is(CmpIPredicate::eq, greatest));
    Value one = loops.boolean(true);
    auto no = [&](Value value) -> Value { return arith::XOrIOp::create(loops.builder, loops.location, value, one); };
    if (predicate == CmpIPredicate::eq)
      return {mayBeZero, isZero, unsure};
    return {no(isZero), no(mayBeZero), unsure};
  }
  }
}

/// Scans a term over keys begin .. end-1: in vectors if it is a number of the only key dimension, otherwise key by key.
Interval AttendMask::scanKeys(LoopBuilder &loops, Value term, const KeyRange &keys, BindKey bindKey) {
  auto valueAt = [&](Value key) {
    RegionVectoriser point = bindKey(key);
    return AttendIntervals::indexAt(loops, point, term);
  };
  if (scanOfKeys)
    return scanOfKeys(keys, valueAt);
  bool inVectors = problem.keySizes.size() == 1 && !term.getType().isIndex();
  if (!inVectors) {
    Interval none = noInterval(loops);
    auto found = loops.loop(keys.begin, keys.end, loops.constant(1), {none.least, none.greatest},
                            [&](Value key, ValueRange carried) {
                              Value value = valueAt(key);
                              return LoopBuilder::Values{loops.min(carried[0], value), loops.max(carried[1], value)};
                            });
    return {found[0], found[1]};
  }
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  VectorType type = loops.vectorType(builder.getI32Type());
  attn::AttendOp op = problem.op;
  BlockArgument keyIndex = op.getMask().getArguments().back();
  auto splat = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, number));
  };
  Value most = splat(std::numeric_limits<int32_t>::max()), fewest = splat(std::numeric_limits<int32_t>::min());
  auto found =
      loops.loop(keys.begin, keys.end, loops.constant(loops.lanes), {most, fewest}, [&](Value key, ValueRange carried) {
        RegionVectoriser point = bindKey(key);
        Value index = point.evaluateIndex(keyIndex).base;
        bindKeyIndex(problem, point, 0, steppingIndex(index, keyStep));
        point.setActiveLanes(loops.sub(keys.end, key));
        Value value = point.broadcast(point.evaluate(term)), active = point.laneMask();
        if (term.getType().isInteger(1))
          value = arith::ExtUIOp::create(builder, location, type, value);
        auto pick = [&](Value other) {
          return arith::SelectOp::create(builder, location, active, value, other).getResult();
        };
        return LoopBuilder::Values{arith::MinSIOp::create(builder, location, carried[0], pick(most)),
                                   arith::MaxSIOp::create(builder, location, carried[1], pick(fewest))};
      });
  auto reduce = [&](vector::CombiningKind kind, Value vector) -> Value {
    Value number = vector::ReductionOp::create(builder, location, kind, vector);
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(), number);
  };
  return {reduce(vector::CombiningKind::MINSI, found[0]), reduce(vector::CombiningKind::MAXSI, found[1])};
}

static AttendIntervals intervalsOfKeys(LoopBuilder &loops, const AttendProblem &problem, IndexUses &uses,
                                       const AttendMask::KeyRange &keys,
                                       function_ref<RegionVectoriser(Value)> bindKey) {
  return AttendIntervals(loops, problem, uses, /*ofKeys=*/true, bindKey(keys.begin), bindKey(loops.add(keys.end, -1)));
}

Interval AttendMask::keysOf(LoopBuilder &loops, const Node &node, const KeyRange &keys, BindKey bindKey) {
  AttendIntervals intervals = intervalsOfKeys(loops, problem, uses, keys, bindKey);
  Interval sum = {loops.constant(0), loops.constant(0)};
  for (auto [term, sign] : node.keyTerms) {
    auto known = intervals.of(term);
    sum = addTerm(loops, sum, known ? *known : scanKeys(loops, term, keys, bindKey), sign);
  }
  return sum;
}

AttendMask::Decision AttendMask::decideNode(LoopBuilder &loops, unsigned number, const KeyRange &keys,
                                            BindKey bindKey) {
  const Node &node = nodes[number];
  Value one = loops.boolean(true), zero = loops.boolean(false);
  auto negate = [&](Value value) -> Value { return arith::XOrIOp::create(loops.builder, loops.location, value, one); };
  switch (node.kind) {
  case Kind::Opaque:
    return {one, zero, one};
  case Kind::Always:
    return {one, one, zero};
  case Kind::Table:
    return decideTable(loops, node, keys, bindKey);
  case Kind::Not: {
    Decision inner = decideNode(loops, node.children[0], keys, bindKey);
    return {negate(inner.all), negate(inner.some), inner.unsure};
  }
  case Kind::And:
  case Kind::Or: {
    Decision a = decideNode(loops, node.children[0], keys, bindKey);
    Decision b = decideNode(loops, node.children[1], keys, bindKey);
    Value unsure = loops.either(a.unsure, b.unsure);
    if (node.kind == Kind::And)
      return {loops.both(a.some, b.some), loops.both(a.all, b.all), unsure};
    return {loops.either(a.some, b.some), loops.either(a.all, b.all), unsure};
  }
  case Kind::Compare:
    break;
  }
  Interval sum = addTerm(loops, keysOf(loops, node, keys, bindKey), node.rows, 1);
  return compareExtrema(loops, node.predicate, sum.least, sum.greatest);
}

/// Decides a table by all elements with the block's subscripts, if they are few.
AttendMask::Decision AttendMask::decideTable(LoopBuilder &loops, const Node &node, const KeyRange &keys,
                                             BindKey bindKey) {
  Value one = loops.boolean(true), zero = loops.boolean(false), count = loops.constant(1);
  AttendIntervals intervals = intervalsOfKeys(loops, problem, uses, keys, bindKey);
  RegionVectoriser point = bindKey(keys.begin);
  tensor::ExtractOp element = node.element;
  LoopBuilder::Values begins, sizes;
  for (auto [number, ofRow] : llvm::enumerate(node.rowSubscripts)) {
    auto interval = ofRow.least ? ofRow : intervals.of(element.getIndices()[number]);
    if (!interval)
      return {one, zero, one};
    Value end = point.sizeOf(element.getTensor(), number);
    begins.push_back(loops.max(loops.constant(0), interval->least));
    Value last = loops.min(interval->greatest, loops.add(end, -1));
    sizes.push_back(loops.max(loops.constant(0), loops.add(loops.sub(last, begins.back()), 1)));
    count = loops.mul(count, sizes.back());
  }
  if (node.rowSubscripts.empty())
    return {one, zero, one};
  auto lookUp = [&] {
    return loops.nest(sizes, {zero, one}, [&](ValueRange places, ValueRange carried) {
      SmallVector<LaneIndex> subscripts;
      for (auto [begin, place] : llvm::zip(begins, places))
        subscripts.push_back(uniformIndex(loops.add(begin, place)));
      RegionVectoriser at = point;
      at.bindValue(element.getResult(), at.load(element.getTensor(), subscripts));
      Value keeps = at.evaluate(node.condition);
      return LoopBuilder::Values{loops.either(carried[0], keeps), loops.both(carried[1], keeps)};
    });
  };
  Type flag = loops.builder.getI1Type();
  Value isMany = loops.less(loops.constant(mostElements), count);
  auto decided = loops.select(
      isMany, {flag, flag},
      [&] {
        return LoopBuilder::Values{one, zero};
      },
      lookUp);
  return {decided[0], decided[1], isMany};
}

} // namespace attnc
