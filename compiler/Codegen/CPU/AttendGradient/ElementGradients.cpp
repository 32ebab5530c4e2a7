#include "compiler/Codegen/CPU/AttendGradient/ElementGradients.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

void ElementGradients::add(unsigned result, tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
                           Value isFirst) const {
  Value memref = frame.result(result), active = at.laneMask();
  if (active)
    gradient = loops.choose(active, gradient, loops.splat(0.0));
  SmallVector<LaneIndex> subscripts;
  Values bases;
  for (unsigned dimension = 0; dimension < extract.getIndices().size(); ++dimension) {
    subscripts.push_back(at.clampedSubscript(extract, dimension));
    bases.push_back(subscripts.back().base);
  }
  if (Value any = at.hasElement(extract))
    return loops.when(any, [&] { addAt(memref, subscripts, bases, at, gradient, isFirst); });
  addAt(memref, subscripts, bases, at, gradient, isFirst);
}

void ElementGradients::addAt(Value memref, ArrayRef<LaneIndex> subscripts, ValueRange bases, RegionVectoriser &at,
                             Value gradient, Value isFirst) const {
  Value active = at.laneMask();
  auto isUniform = [](const LaneIndex &each) { return each.isUniform(); };
  if (llvm::all_of(subscripts, isUniform)) {
    Value sum = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD, gradient,
                                            arith::FastMathFlags::reassoc);
    return loops.storeScalar(loops.addf(loops.loadScalar(memref, bases), sum), memref, bases);
  }
  bool isAffine = llvm::none_of(subscripts, [](const LaneIndex &each) { return each.lanes; });
  if (isAffine && llvm::all_of(ArrayRef(subscripts).drop_back(), isUniform) && subscripts.back().step == 1)
    return addToRun(memref, bases, gradient, active, isFirst);
  // A subscript that steps with the lane gives each lane an element of its own.
  if (isAffine)
    return addApart(memref, subscripts, gradient, active);
  addOneByOne(memref, subscripts, at, gradient, active);
}

void ElementGradients::addToRun(Value memref, ValueRange place, Value gradient, Value active, Value isFirst) const {
  OpBuilder &builder = loops.builder;
  Value counts = active;
  if (isFirst) {
    Value isLater =
        loops.splat(arith::XOrIOp::create(builder, loops.location, isFirst, loops.boolean(true)).getResult());
    counts = active ? loops.both(active, isLater) : isLater;
  }
  Value before = counts ? vector::MaskedLoadOp::create(builder, loops.location, loops.vectorType(), memref, place,
                                                       counts, loops.splat(0.0))
                              .getResult()
                        : loops.load(memref, place);
  if (!active)
    return loops.store(loops.addf(before, gradient), memref, place);
  vector::MaskedStoreOp::create(builder, loops.location, memref, place, active, loops.addf(before, gradient));
}

void ElementGradients::addApart(Value memref, ArrayRef<LaneIndex> subscripts, Value gradient, Value active) const {
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  Value offset = loops.constant(0), stride = offset;
  for (auto [dimension, subscript] : llvm::enumerate(subscripts)) {
    Value size = loops.sizeOf(memref, dimension);
    offset = loops.add(loops.mul(offset, size), subscript.base);
    stride = loops.add(loops.mul(stride, size), subscript.step);
  }
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  auto type = loops.vectorType(builder.getI32Type());
  Value lane = arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value step = arith::IndexCastOp::create(builder, location, builder.getI32Type(), stride);
  Value places = arith::MulIOp::create(builder, location, lane, loops.splat(step));
  if (!active)
    active = loops.laneMask(loops.constant(loops.lanes));
  Value flat = loops.flat(memref);
  Value before = vector::GatherOp::create(builder, location, loops.vectorType(), flat, ValueRange{offset}, places,
                                          active, loops.splat(0.0));
  vector::ScatterOp::create(builder, location, Type(), flat, ValueRange{offset}, places, active,
                            loops.addf(before, gradient));
}

/// Lanes may address the same element: they are added one after the other.
void ElementGradients::addOneByOne(Value memref, ArrayRef<LaneIndex> subscripts, RegionVectoriser &at, Value gradient,
                                   Value active) const {
  OpBuilder &builder = loops.builder;
  Values lanes;
  for (const LaneIndex &subscript : subscripts)
    lanes.push_back(subscript.isUniform() ? Value() : at.broadcast(subscript));
  loops.loop(loops.constant(0), loops.constant(loops.lanes), loops.constant(1), [&](Value lane) {
    auto laneOf = [&](Value vector) -> Value {
      return vector::ExtractOp::create(builder, loops.location, vector, lane);
    };
    Values place;
    for (auto [subscript, vector] : llvm::zip(subscripts, lanes))
      place.push_back(
          vector
              ? arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), laneOf(vector)).getResult()
              : subscript.base);
    loops.when(active ? laneOf(active) : loops.boolean(true), [&] {
      loops.storeScalar(loops.addf(loops.loadScalar(memref, place), laneOf(gradient)), memref, place);
    });
  });
}

/// Adds the terms of a formula with this cotangent; a pair whose cotangent is 0 adds nothing, even if a derivative is
/// not finite.
void ElementGradients::addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent) const {
  Value zero = loops.splat(0.0);
  auto times = [&](Value partial) {
    if (matchPattern(partial, m_OneFloat()))
      return cotangent;
    Value counts = loops.compare(arith::CmpFPredicate::UNE, cotangent, zero);
    return loops.choose(counts, loops.mulf(cotangent, at.broadcast(at.evaluate(partial))), zero);
  };
  for (const GradientScope::Leaf &leaf : scope.leaves)
    add(leaf.result, leaf.extract, at, times(leaf.partial));
  for (const GradientScope::Sum &sum : scope.sums) {
    Value ofTerm = times(sum.partial);
    attn::ReduceOp op = sum.op;
    Values sizes;
    for (Value size : op.getSizes())
      sizes.push_back(frame.index(size));
    loops.nest(sizes, {}, [&](ValueRange indices, ValueRange) {
      RegionVectoriser inside = at;
      for (auto [argument, index] : llvm::zip(op.getBody().getArguments(), indices))
        inside.bindIndex(argument, index);
      addScope(*sum.term, inside, ofTerm);
      return Values();
    });
  }
}

} // namespace attnc
