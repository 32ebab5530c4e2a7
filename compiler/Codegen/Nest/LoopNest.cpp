#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

SmallVector<Value> loop(OpBuilder &b, Location location, Value lower, Value upper, int64_t step, ValueRange carried,
                        llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value stride = arith::ConstantIndexOp::create(b, location, step);
  auto op = scf::ForOp::create(b, location, lower, upper, stride, carried);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the body comes with its terminator.
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

  SmallVector<Value> run(Value lower, Value upper) {
    SmallVector<Value> accumulators = neutral(1);
    int64_t block = shape.lanes * shape.unroll;
    if (!shape.length || *shape.length >= block) {
      Value length = b.createOrFold<arith::SubIOp>(location, upper, lower);
      Value size = arith::ConstantIndexOp::create(b, location, block);
      Value rest = b.createOrFold<arith::RemUIOp>(location, length, size);
      Value end = b.createOrFold<arith::SubIOp>(location, upper, rest);
      accumulators = mergeUnrolled(loop(b, location, lower, end, block, neutral(shape.unroll),
                                        [&](Value at, ValueRange carried) { return step(at, {}, carried); }));
      lower = end;
    }
    if (shape.length && *shape.length % block == 0)
      return accumulators;
    return loop(b, location, lower, upper, shape.lanes, accumulators, [&](Value at, ValueRange carried) {
      Value left = arith::SubIOp::create(b, location, upper, at);
      Value lanes = arith::ConstantIndexOp::create(b, location, shape.lanes);
      return step(at, arith::MinSIOp::create(b, location, left, lanes), carried);
    });
  }

private:
  SmallVector<Value> neutral(int64_t copies) {
    SmallVector<Value> values;
    for (int64_t copy = 0; copy < copies; ++copy)
      for (const SweepReduction &each : reductions)
        values.push_back(neutralElement(b, location, each.kind, VectorType::get({shape.lanes}, each.element)));
    return values;
  }

  /// One masked point where `active` is given, otherwise all unrolled ones.
  SmallVector<Value> step(Value at, Value active, ValueRange carried) {
    SmallVector<LanePoint> points;
    for (int64_t copy = 0; copy < (active ? 1 : shape.unroll); ++copy) {
      Value offset = arith::ConstantIndexOp::create(b, location, copy * shape.lanes);
      points.push_back({{b.createOrFold<arith::AddIOp>(location, at, offset), 1, {}, true}, active});
    }
    Value mask;
    if (active && !reductions.empty())
      mask = vector::CreateMaskOp::create(b, location, VectorType::get({shape.lanes}, b.getI1Type()), active);
    SmallVector<Value> terms = body(points), results;
    for (auto [number, term, accumulator] : llvm::enumerate(terms, carried)) {
      if (!isa<VectorType>(term.getType()))
        term = vector::BroadcastOp::create(b, location, accumulator.getType(), term);
      Value sum = combine(b, location, reductions[number % reductions.size()].kind, accumulator, term);
      results.push_back(mask ? arith::SelectOp::create(b, location, mask, sum, accumulator) : sum);
    }
    return results;
  }

  SmallVector<Value> mergeUnrolled(SmallVector<Value> values) {
    size_t count = reductions.size();
    for (int64_t copies = shape.unroll; copies > 1; copies = (copies + 1) / 2)
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

Value combineLanes(OpBuilder &b, Location location, attn::Combine kind, Value vector) {
  bool real = isa<FloatType>(getElementTypeOrSelf(vector.getType()));
  using Kind = vector::CombiningKind;
  Kind realKinds[] = {Kind::ADD, Kind::MUL, Kind::MAXIMUMF, Kind::MINIMUMF};
  Kind integerKinds[] = {Kind::ADD, Kind::MUL, Kind::MAXSI, Kind::MINSI};
  Kind combining = (real ? realKinds : integerKinds)[static_cast<int>(kind)];
  // A tree of shuffles: still one fixed order.
  return vector::ReductionOp::create(b, location, combining, vector,
                                     real ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
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

//===------------------------------------------ what a linalg.generic is ------------------------------------------===//

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
