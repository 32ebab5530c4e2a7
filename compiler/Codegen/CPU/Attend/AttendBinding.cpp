#include "compiler/Codegen/CPU/Attend/AttendBinding.h"

using namespace mlir;

namespace attnc {

static void bindArgument(const AttendProblem &problem, RegionVectoriser &to, unsigned number, const LaneIndex &index) {
  attn::AttendOp op = problem.op;
  for (Region &region : op->getRegions())
    if (unsigned place = (&region == &op.getWeight()) + number; place < region.getNumArguments())
      to.bindIndex(region.getArgument(place), index);
}

void bindOuter(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index) {
  bindArgument(problem, to, dimension, index);
}

void bindKeyIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index) {
  bindArgument(problem, to, problem.outerSizes.size() + dimension, index);
}

void bindValueIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index) {
  attn::AttendOp op = problem.op;
  to.bindIndex(op.getValue().getArgument(op.getNumOuter() + op.getNumKeys() + dimension), index);
}

SmallVector<LaneIndex> steppingSubscripts(LoopBuilder &loops, Value first, ValueRange sizes) {
  if (sizes.size() == 1)
    return {steppingIndex(first)};
  OpBuilder &builder = loops.builder;
  auto type = loops.vectorType(builder.getI32Type());
  auto splat = [&](Value index) {
    return loops.splat(arith::IndexCastOp::create(builder, loops.location, builder.getI32Type(), index).getResult());
  };
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  Value lane =
      arith::ConstantOp::create(builder, loops.location, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value flat = arith::AddIOp::create(builder, loops.location, splat(first), lane);
  SmallVector<LaneIndex> subscripts(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;) {
    subscripts[i].lanes = arith::RemUIOp::create(builder, loops.location, flat, splat(sizes[i]));
    flat = arith::DivUIOp::create(builder, loops.location, flat, splat(sizes[i]));
  }
  if (!sizes.empty())
    subscripts[0].lanes = flat;
  return subscripts;
}

SmallVector<LaneIndex> outerIndices(const AttendProblem &problem, RegionVectoriser &of) {
  SmallVector<LaneIndex> indices;
  attn::AttendOp op = problem.op;
  for (BlockArgument argument : op.getScore().getArguments().take_front(op.getNumOuter()))
    indices.push_back(of.evaluateIndex(argument));
  return indices;
}

LoopBuilder::Values subscriptsOf(RegionVectoriser &point, tensor::ExtractOp extract) {
  LoopBuilder::Values subscripts;
  for (Value subscript : extract.getIndices())
    subscripts.push_back(point.evaluateIndex(subscript).base);
  return subscripts;
}

} // namespace attnc
