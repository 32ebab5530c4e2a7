#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

SmallVector<Value> loop(OpBuilder &b, Location location, Value lower, Value upper, int64_t step, ValueRange carried,
                        llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value stride = arith::ConstantIndexOp::create(b, location, step);
  auto op = scf::ForOp::create(b, location, lower, upper, stride, carried);
  OpBuilder::InsertionGuard guard(b);
  // Without loop-carried values the body has its terminator already.
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> results = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(b, location, results);
  return SmallVector<Value>(op.getResults());
}

//===------------------------------------------ sweeps ------------------------------------------------------------===//

namespace {

class Sweep {
public:
  using Body = llvm::function_ref<SmallVector<Value>(ArrayRef<LanePoint>)>;
  Sweep(OpBuilder &b, Location location, SweepShape shape, ArrayRef<SweepReduction> reductions, Body body)
      : b(b), location(location), shape(shape), reductions(reductions), body(body) {}

  SmallVector<Value> run(Value lower, Value upper) { return shape.length ? runKnown(lower) : runUnknown(lower, upper); }

private:
  SmallVector<Value> runKnown(Value lower) {
    int64_t block = shape.lanes * shape.unroll, rest = *shape.length % block, whole = *shape.length - rest, copies = 0;
    SmallVector<Value> accumulators;
    if (whole > block) {
      Value end = b.createOrFold<arith::AddIOp>(location, lower, index(whole));
      accumulators = loop(b, location, lower, end, block, neutral(shape.unroll), [&](Value at, ValueRange carried) {
        return accumulate(points(at, block), carried, shape.unroll);
      });
      copies = shape.unroll;
      lower = end;
    } else if (whole == block) { // a loop of one iteration
      accumulators = firstTerms(points(lower, block));
      copies = shape.unroll;
      lower = b.createOrFold<arith::AddIOp>(location, lower, index(whole));
    }
    int64_t left = llvm::divideCeil(rest, shape.lanes);
    if (rest && copies)
      llvm::copy(accumulate(points(lower, rest), accumulators, left), accumulators.begin());
    else if (rest)
      accumulators = firstTerms(points(lower, rest));
    copies = std::max(copies, left);
    return copies ? merge(accumulators, copies) : neutral(1);
  }

  SmallVector<Value> runUnknown(Value lower, Value upper) {
    int64_t block = shape.lanes * shape.unroll;
    Value length = b.createOrFold<arith::SubIOp>(location, upper, lower);
    Value rest = b.createOrFold<arith::RemUIOp>(location, length, index(block));
    Value end = b.createOrFold<arith::SubIOp>(location, upper, rest);
    SmallVector<Value> accumulators =
        loop(b, location, lower, end, block, neutral(shape.unroll),
             [&](Value at, ValueRange carried) { return accumulate(points(at, block), carried, shape.unroll); });
    return loop(b, location, end, upper, shape.lanes, merge(accumulators, shape.unroll),
                [&](Value at, ValueRange carried) {
                  Value left = arith::SubIOp::create(b, location, upper, at);
                  Value active = arith::MinSIOp::create(b, location, left, index(shape.lanes));
                  return accumulate({{{at, 1, {}, true}, active}}, carried, 1);
                });
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, location, value); }

  SmallVector<Value> neutral(int64_t copies) {
    SmallVector<Value> values;
    for (int64_t copy = 0; copy < copies; ++copy)
      for (const SweepReduction &each : reductions)
        values.push_back(neutralElement(b, location, each.kind, VectorType::get({shape.lanes}, each.element)));
    return values;
  }

  /// The points of `count` elements from `at` on.
  SmallVector<LanePoint> points(Value at, int64_t count) {
    SmallVector<LanePoint> points;
    for (int64_t offset = 0; offset < count; offset += shape.lanes) {
      Value active = count - offset < shape.lanes ? index(count - offset) : Value();
      points.push_back({{b.createOrFold<arith::AddIOp>(location, at, index(offset)), 1, {}, true}, active});
    }
    return points;
  }

  /// Accumulators of one term each.
  SmallVector<Value> firstTerms(ArrayRef<LanePoint> points) {
    SmallVector<Value> terms = body(points), results;
    for (auto [number, term] : llvm::enumerate(terms)) {
      const SweepReduction &reduction = reductions[number % reductions.size()];
      auto type = VectorType::get({shape.lanes}, reduction.element);
      Value spread = isa<VectorType>(term.getType()) ? term : vector::BroadcastOp::create(b, location, type, term);
      Value none = neutralElement(b, location, reduction.kind, type);
      results.push_back(whereActive(points[number / reductions.size()], spread, none));
    }
    return results;
  }

  /// The first `copies` accumulators with the terms of as many points.
  SmallVector<Value> accumulate(ArrayRef<LanePoint> points, ValueRange carried, int64_t copies) {
    SmallVector<Value> terms = body(points), results;
    for (auto [number, term, accumulator] : llvm::enumerate(terms, carried.take_front(copies * reductions.size()))) {
      if (!isa<VectorType>(term.getType()))
        term = vector::BroadcastOp::create(b, location, accumulator.getType(), term);
      Value sum = combine(b, location, reductions[number % reductions.size()].kind, accumulator, term);
      results.push_back(whereActive(points[number / reductions.size()], sum, accumulator));
    }
    return results;
  }

  /// `value` in active lanes, `other` in inactive ones.
  Value whereActive(const LanePoint &point, Value value, Value other) {
    if (!point.active)
      return value;
    auto truths = VectorType::get({shape.lanes}, b.getI1Type());
    Value mask = vector::CreateMaskOp::create(b, location, truths, point.active);
    return arith::SelectOp::create(b, location, mask, value, other);
  }

  SmallVector<Value> merge(SmallVector<Value> values, int64_t copies) {
    size_t count = reductions.size();
    for (; copies > 1; copies = (copies + 1) / 2)
      for (int64_t copy = 0; copy < copies / 2; ++copy)
        for (size_t number = 0; number < count; ++number) {
          Value &into = values[copy * count + number];
          into = combine(b, location, reductions[number].kind, into, values[(copies - 1 - copy) * count + number]);
        }
    values.resize(count);
    return values;
  }

  OpBuilder &b;
  Location location;
  SweepShape shape;
  ArrayRef<SweepReduction> reductions;
  Body body;
};

} // namespace

SmallVector<Value> sweep(OpBuilder &b, Location location, Value lower, Value upper, SweepShape shape,
                         ArrayRef<SweepReduction> reductions,
                         llvm::function_ref<SmallVector<Value>(ArrayRef<LanePoint>)> body) {
  return Sweep(b, location, shape, reductions, body).run(lower, upper);
}

/// A tree of shuffles: a fixed order, too. An extremum without NaN takes one instruction a level, one with NaN many, so
/// NaN is tested for in all lanes at once.
Value combineLanes(OpBuilder &b, Location location, attn::Combine kind, Value vector) {
  bool real = isa<FloatType>(getElementTypeOrSelf(vector.getType()));
  using Kind = vector::CombiningKind;
  Kind realKinds[] = {Kind::ADD, Kind::MUL, Kind::MAXNUMF, Kind::MINNUMF};
  Kind integerKinds[] = {Kind::ADD, Kind::MUL, Kind::MAXSI, Kind::MINSI};
  Kind combining = (real ? realKinds : integerKinds)[static_cast<int>(kind)];
  using Flags = arith::FastMathFlags;
  if (!real)
    return vector::ReductionOp::create(b, location, combining, vector, Flags::none);
  if (kind == attn::Combine::Mul)
    return vector::ReductionOp::create(b, location, combining, vector, Flags::reassoc);
  if (kind == attn::Combine::Add) { // -0 is the neutral element of addition
    Value none = arith::ConstantOp::create(b, location, b.getFloatAttr(getElementTypeOrSelf(vector.getType()), -0.0));
    return vector::ReductionOp::create(b, location, combining, vector, none, Flags::reassoc);
  }
  Value extremum = vector::ReductionOp::create(b, location, combining, vector, Flags::nnan | Flags::nsz);
  Value isNan = arith::CmpFOp::create(b, location, arith::CmpFPredicate::UNO, vector, vector);
  Value anyNan = vector::ReductionOp::create(b, location, Kind::OR, isNan);
  Type element = extremum.getType();
  Value nan = arith::ConstantOp::create(b, location, b.getFloatAttr(element, std::numeric_limits<double>::quiet_NaN()));
  return arith::SelectOp::create(b, location, anyNan, nan, extremum);
}

SmallVector<LaneIndex> subscriptsOf(OpBuilder &b, Location location, Value number, ValueRange sizes) {
  SmallVector<LaneIndex> subscripts(sizes.size());
  for (int64_t each = sizes.size() - 1; each >= 0; --each) {
    if (each == 0) {
      subscripts[0].base = number;
      break;
    }
    subscripts[each].base = b.createOrFold<arith::RemUIOp>(location, number, sizes[each]);
    number = b.createOrFold<arith::DivUIOp>(location, number, sizes[each]);
  }
  return subscripts;
}

void eachElement(OpBuilder &b, Location location, Value first, Value end, ValueRange sizes,
                 llvm::function_ref<void(ArrayRef<LaneIndex>)> body) {
  if (sizes.size() < 2) {
    loop(b, location, first, end, 1, {}, [&](Value number, ValueRange) {
      body(subscriptsOf(b, location, number, sizes));
      return SmallVector<Value>();
    });
    return;
  }
  Value zero = arith::ConstantIndexOp::create(b, location, 0), one = arith::ConstantIndexOp::create(b, location, 1);
  // If it is zero there are no elements, but the division must not trap.
  Value size = b.createOrFold<arith::MaxSIOp>(location, sizes.back(), one);
  Value above = b.createOrFold<arith::AddIOp>(location, end, b.createOrFold<arith::SubIOp>(location, size, one));
  Value firstRow = b.createOrFold<arith::DivUIOp>(location, first, size);
  loop(b, location, firstRow, b.createOrFold<arith::DivUIOp>(location, above, size), 1, {}, [&](Value row, ValueRange) {
    SmallVector<LaneIndex> subscripts = subscriptsOf(b, location, row, sizes.drop_back());
    Value start = arith::MulIOp::create(b, location, row, size);
    Value from = arith::MaxSIOp::create(b, location, arith::SubIOp::create(b, location, first, start), zero);
    Value to = arith::MinSIOp::create(b, location, arith::SubIOp::create(b, location, end, start), size);
    subscripts.emplace_back();
    loop(b, location, from, to, 1, {}, [&](Value number, ValueRange) {
      subscripts.back() = {number, 0, {}, true};
      body(subscripts);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

int64_t lanesFor(const SizeExpr &length, int64_t lanes) {
  return length.isConstant() && length.constant() > 0
             ? std::min<int64_t>(lanes, llvm::PowerOf2Ceil(std::max<int64_t>(length.constant(), 2)))
             : lanes;
}

//===------------------------------------------ sizes -------------------------------------------------------------===//

SmallVector<SizeExpr> loopSizes(linalg::GenericOp op, const KernelSizes &sizes) {
  SmallVector<SizeExpr> extents(op.getNumLoops());
  llvm::SmallBitVector found(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [number, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expression); dim && !found[dim.getPosition()]) {
        extents[dim.getPosition()] = sizes.dimension(operand.get(), number);
        found.set(dim.getPosition());
      }
  }
  return extents;
}

} // namespace attnc
