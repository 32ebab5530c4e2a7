#include "compiler/Codegen/Nest/VectorBuilder.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

VectorType VectorBuilder::vectorType() { return vectorType(builder.getF32Type()); }
VectorType VectorBuilder::vectorType(Type element) { return VectorType::get({lanes}, element); }

Value VectorBuilder::scalar(double value) {
  return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(float(value)));
}

Value VectorBuilder::splat(double value) {
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(vectorType(), float(value)));
}

Value VectorBuilder::splat(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, location, vectorType(value.getType()), value);
}

Value VectorBuilder::addf(Value a, Value b) { return arith::AddFOp::create(builder, location, a, b); }
Value VectorBuilder::subf(Value a, Value b) { return arith::SubFOp::create(builder, location, a, b); }
Value VectorBuilder::mulf(Value a, Value b) { return arith::MulFOp::create(builder, location, a, b); }
Value VectorBuilder::divf(Value a, Value b) { return arith::DivFOp::create(builder, location, a, b); }

Value VectorBuilder::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, location, splat(a), splat(b), splat(c));
}

// One instruction (vmaxps with its operands in this order); arith.maximumf would add NaN fix-ups.
Value VectorBuilder::maxKeepingFirst(Value a, Value b) {
  return choose(compare(arith::CmpFPredicate::OGT, b, a), b, a);
}

Value VectorBuilder::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, location, predicate, a, b);
}

/// The vectors are added pairwise: a NaN stays, and only infinities of both signs make another.
Value VectorBuilder::hasNan(ValueRange vectors) {
  Values sums(vectors);
  for (; sums.size() > 1; sums.truncate((sums.size() + 1) / 2))
    for (size_t i = 0, half = (sums.size() + 1) / 2; i + half < sums.size(); ++i)
      sums[i] = addf(sums[i], sums[i + half]);
  Value unordered = compare(arith::CmpFPredicate::UNO, sums[0], sums[0]);
  return vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, unordered);
}

Value VectorBuilder::widen(Value flags) {
  return arith::ExtUIOp::create(builder, location, vectorType(builder.getI32Type()), flags);
}

Value VectorBuilder::isSet(Value flags) {
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(flags.getType()));
  return compare(arith::CmpIPredicate::ne, flags, zero);
}

Value VectorBuilder::laneMask(Value count) {
  return vector::CreateMaskOp::create(builder, location, vectorType(builder.getI1Type()), ValueRange{count});
}

Value VectorBuilder::shuffle(Value a, Value b, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(builder, location, a, b, lanes);
}

VectorBuilder::Value VectorBuilder::foldLanes(Values vectors, function_ref<Value(Value, Value)> combine) {
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  while (vectors.size() > 1) {
    Values halves;
    for (size_t i = 0; i < vectors.size(); i += 2)
      halves.push_back(combine(shuffle(vectors[i], vectors[i + 1], even), shuffle(vectors[i], vectors[i + 1], odd)));
    vectors = halves;
  }
  return vectors[0];
}

// Columns at distances 1, 2, 4, ... are exchanged with vectors at the same distance.
VectorBuilder::Values VectorBuilder::transpose(ValueRange vectors) {
  Values rows(vectors);
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      upper.push_back(lane & step ? lanes + lane - step : lane);
      lower.push_back(lane & step ? lanes + lane : lane + step);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & step)
        continue;
      Value a = rows[row], b = rows[row + step];
      rows[row] = shuffle(a, b, upper);
      rows[row + step] = shuffle(a, b, lower);
    }
  }
  return rows;
}

} // namespace attnc
