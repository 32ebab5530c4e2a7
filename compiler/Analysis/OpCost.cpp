#include "compiler/Analysis/OpCost.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace attnc {

static constexpr OpCost nothing = {0, 0}, simple = {0, 1}, arithmetic = {1, 1}, fused = {2, 1}, division = {1, 8},
                        function = {1, 20}, draw = {0, 150};

static OpCost tableCost(Operation *op) {
  if (isa<arith::ConstantOp, linalg::IndexOp, linalg::YieldOp, attn::YieldOp, attn::StopOp, tensor::DimOp>(op))
    return nothing;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(op))
    return arithmetic;
  if (isa<math::FmaOp>(op))
    return fused;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return division;
  if (isa<attn::UniformOp>(op))
    return draw;
  bool isSignOrRounding = isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FloorOp, math::CeilOp, math::RoundOp,
                              math::RoundEvenOp, math::TruncOp>(op);
  return isa<math::MathDialect>(op->getDialect()) && !isSignOrRounding ? function : simple;
}

OpCost costOf(Operation *op) {
  OpCost cost = tableCost(op);
  if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()))
    cost.flops = 0;
  return cost;
}

OpCost costOf(Region &region) {
  OpCost sum;
  region.walk([&](Operation *op) {
    OpCost cost = costOf(op);
    sum.flops += cost.flops;
    sum.instructions += cost.instructions;
  });
  return sum;
}

SizeExpr flopsOf(Region &region, llvm::function_ref<SizeExpr(Value)> sizeOf) {
  SizeExpr flops;
  if (region.empty())
    return flops;
  for (Operation &op : region.front()) {
    flops += costOf(&op).flops;
    auto reduce = dyn_cast<attn::ReduceOp>(op);
    if (!reduce)
      continue;
    SizeExpr terms = 1;
    for (Value size : reduce.getSizes())
      terms *= sizeOf(size);
    int64_t combining = reduce.getType().isF32() ? 1 : 0;
    flops += terms * (flopsOf(reduce.getBody(), sizeOf) + combining);
  }
  return flops;
}

} // namespace attnc
