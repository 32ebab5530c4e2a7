#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr double smallestExponent = -100;
static constexpr double coefficients[] = {0.0018775766948238015, 0.00898933969438076, 0.05582631751894951,
                                          0.24015361070632935,   0.6931530833244324,  0.9999999403953552};

static Value polynomial(LoopBuilder &loops, Value fraction) {
  Value sum = loops.splat(coefficients[0]);
  for (double coefficient : llvm::drop_begin(coefficients))
    sum = loops.fma(sum, fraction, loops.splat(coefficient));
  return sum;
}

static Value integerConstant(LoopBuilder &loops, Type type, int64_t value) {
  return arith::ConstantOp::create(loops.builder, loops.location, IntegerAttr::get(type, value));
}

static Value exp2ReduceScale(LoopBuilder &loops, Value x) {
  OpBuilder &builder = loops.builder;
  Type vector = loops.vectorType();
  Value allLanes = integerConstant(loops, builder.getIntegerType(16), -1);
  Value asSet = integerConstant(loops, builder.getI32Type(), 4);                 // no embedded rounding
  Value floorWithoutException = integerConstant(loops, builder.getI32Type(), 9); // x - floor(x)
  auto call = [&](StringRef name, ValueRange operands) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loops.location, vector, builder.getStringAttr(name), operands)
        .getResult(0);
  };
  Value fraction =
      call("llvm.x86.avx512.mask.reduce.ps.512", {x, floorWithoutException, loops.splat(0.0), allLanes, asSet});
  Value mantissa = polynomial(loops, fraction);
  Value tiny = loops.compare(arith::CmpFPredicate::OLT, x, loops.splat(smallestExponent));
  Value power = call("llvm.x86.avx512.mask.scalef.ps.512", {mantissa, x, mantissa, allLanes, asSet});
  return loops.choose(tiny, loops.splat(0.0), power);
}

static Value exp2Polynomial(LoopBuilder &loops, Value x) {
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  Type integers = loops.vectorType(builder.getI32Type());
  Value whole = math::FloorOp::create(builder, location, x);
  Value mantissa = polynomial(loops, loops.subf(x, whole));
  auto splat = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(cast<ShapedType>(integers), value));
  };
  // The bound keeps the conversion defined, for NaN too; the product then carries the NaN of the mantissa.
  Value exponent =
      arith::FPToSIOp::create(builder, location, integers, loops.maxKeepingFirst(loops.splat(-126.0), whole));
  exponent = arith::AddIOp::create(builder, location, exponent, splat(127));
  Value bits = arith::ShLIOp::create(builder, location, exponent, splat(23));
  Value power = loops.mulf(mantissa, arith::BitcastOp::create(builder, location, loops.vectorType(), bits));
  Value tiny = loops.compare(arith::CmpFPredicate::OLT, x, loops.splat(smallestExponent));
  return loops.choose(tiny, loops.splat(0.0), power);
}

/// ex2.approx, one instruction: within 2^-22 of the power, relative to it, and 0 below 2^-126.
static Value exp2Approximate(LoopBuilder &loops, Value x) {
  OpBuilder &builder = loops.builder;
  StringAttr name = builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32");
  LoopBuilder::Values powers;
  for (int64_t lane = 0; lane < loops.lanes; ++lane) {
    Value exponent = vector::ExtractOp::create(builder, loops.location, x, lane);
    powers.push_back(
        LLVM::CallIntrinsicOp::create(builder, loops.location, builder.getF32Type(), name, exponent).getResult(0));
  }
  return vector::FromElementsOp::create(builder, loops.location, loops.vectorType(), powers);
}

Value attendExp2(LoopBuilder &loops, Value x, const Target &target) {
  switch (target.isa->exp2) {
  case Exp2Sequence::Polynomial:
    return exp2Polynomial(loops, x);
  case Exp2Sequence::ReduceScale: // for whole registers
    return loops.lanes == target.f32Lanes ? exp2ReduceScale(loops, x) : exp2Polynomial(loops, x);
  case Exp2Sequence::Approximate:
    return exp2Approximate(loops, x);
  }
  llvm_unreachable("not a sequence for 2^x");
}

} // namespace attnc
