#include "compiler/Derive/Incremental/BodyIndices.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

Value BodyIndices::stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// The number of an attend's index among outer, key and value indices.
static std::optional<unsigned> attendIndex(Value value, Operation *owner) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != owner || !argument.getType().isIndex())
    return std::nullopt;
  bool isWeight = argument.getOwner()->getParent() == &cast<attn::AttendOp>(owner).getWeight();
  return argument.getArgNumber() - (isWeight ? 1 : 0);
}

bool BodyIndices::isLoop(Value value, std::optional<unsigned> loop) const {
  value = stripCasts(value);
  if (!loop)
    return false;
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index->getParentOp() == owner && index.getDim() == *loop;
  return isa<attn::AttendOp>(owner) && attendIndex(value, owner) == loop;
}

bool BodyIndices::isKey(Value value) const {
  auto attend = dyn_cast<attn::AttendOp>(owner);
  return attend && roles.key && attendIndex(stripCasts(value), owner) == attend.getNumOuter() + *roles.key;
}

std::optional<BodyIndices::Linear> BodyIndices::read(Value value) const {
  value = stripCasts(value);
  if (isPosition(value))
    return Linear{1, 0, 0};
  if (isKey(value))
    return Linear{0, 1, 0};
  if (auto constant = getConstantIntValue(value))
    return Linear{0, 0, *constant};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Linear> a = read(op->getOperand(0)), b = read(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  return Linear{a->position + sign * b->position, a->key + sign * b->key, a->constant + sign * b->constant};
}

bool dependsOn(Value number, Value index) {
  if (number == index)
    return true;
  Operation *op = number.getDefiningOp();
  return op && op->getNumRegions() == 0 && llvm::any_of(op->getOperands(), [&](Value operand) {
           return !isa<ShapedType>(operand.getType()) && dependsOn(operand, index);
         });
}

//===-------------------------------------------- masks -------------------------------------------------------===//

namespace {

/// Collects the bounds of j - i that a condition implies.
class MaskReader {
public:
  explicit MaskReader(const BodyIndices &indices) : indices(indices) {}

  void read(Value condition, bool holds) {
    Operation *op = condition.getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op) && holds)
      return readBoth(op, holds);
    if (isa_and_nonnull<arith::OrIOp>(op) && !holds)
      return readBoth(op, holds);
    if (isa_and_nonnull<arith::XOrIOp>(op) && matchPattern(op->getOperand(1), m_One()))
      return read(op->getOperand(0), !holds);
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(op)) {
      arith::CmpIPredicate predicate = compare.getPredicate();
      readComparison(compare.getLhs(), compare.getRhs(), holds ? predicate : arith::invertPredicate(predicate));
    }
  }

  MaskBounds bounds;

private:
  const BodyIndices &indices;

  void readBoth(Operation *op, bool holds) {
    for (Value operand : op->getOperands())
      read(operand, holds);
  }

  void readComparison(Value left, Value right, arith::CmpIPredicate predicate) {
    // abs(x) <= w is max(-x, x) <= w.
    bool isBelow = predicate == arith::CmpIPredicate::sle || predicate == arith::CmpIPredicate::slt;
    if (auto largest = BodyIndices::stripCasts(left).getDefiningOp<arith::MaxSIOp>(); largest && isBelow) {
      readComparison(largest.getLhs(), right, predicate);
      return readComparison(largest.getRhs(), right, predicate);
    }
    std::optional<BodyIndices::Linear> a = indices.read(left), b = indices.read(right);
    if (!a || !b)
      return;
    BodyIndices::Linear difference = {a->position - b->position, a->key - b->key, a->constant - b->constant};
    BodyIndices::Linear negated = {-difference.position, -difference.key, -difference.constant};
    using P = arith::CmpIPredicate;
    if (predicate == P::slt)
      ++difference.constant;
    if (predicate == P::sgt)
      ++negated.constant;
    if (predicate == P::sle || predicate == P::slt || predicate == P::eq)
      atMost(difference);
    if (predicate == P::sge || predicate == P::sgt || predicate == P::eq)
      atMost(negated);
  }

  /// position * i + key * j + constant <= 0
  void atMost(BodyIndices::Linear sum) {
    auto smaller = [](std::optional<int64_t> &bound, int64_t value) { bound = std::min(bound.value_or(value), value); };
    if (sum.position == -1 && sum.key == 1)
      smaller(bounds.ahead, -sum.constant);
    if (sum.position == 1 && sum.key == -1)
      smaller(bounds.behind, -sum.constant);
  }
};

} // namespace

MaskBounds maskBounds(attn::AttendOp op, const BodyIndices &indices) {
  MaskReader reader(indices);
  if (!op.getMask().empty())
    reader.read(op.getMask().front().getTerminator()->getOperand(0), true);
  return reader.bounds;
}

} // namespace attnc
