#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

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

static Value splatIndex(LoopBuilder &loops, Value index) {
  Type i32 = loops.builder.getI32Type();
  return loops.splat(arith::IndexCastOp::create(loops.builder, loops.location, i32, index).getResult());
}

SmallVector<LaneIndex> subscriptsOfLanes(LoopBuilder &loops, Value numbers, ValueRange sizes) {
  SmallVector<LaneIndex> subscripts(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;) {
    Value size = splatIndex(loops, sizes[i]);
    subscripts[i].lanes = arith::RemUIOp::create(loops.builder, loops.location, numbers, size);
    numbers = arith::DivUIOp::create(loops.builder, loops.location, numbers, size);
  }
  if (!sizes.empty())
    subscripts[0].lanes = numbers;
  return subscripts;
}

SmallVector<LaneIndex> steppingSubscripts(LoopBuilder &loops, Value first, ValueRange sizes) {
  if (sizes.size() == 1)
    return {steppingIndex(first)};
  auto type = loops.vectorType(loops.builder.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  Value lane = arith::ConstantOp::create(loops.builder, loops.location,
                                         DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value flat = arith::AddIOp::create(loops.builder, loops.location, splatIndex(loops, first), lane);
  return subscriptsOfLanes(loops, flat, sizes);
}

SmallVector<LaneIndex> outerIndices(const AttendProblem &problem, RegionVectoriser &of) {
  SmallVector<LaneIndex> indices;
  attn::AttendOp op = problem.op;
  for (BlockArgument argument : op.getScore().getArguments().take_front(op.getNumOuter()))
    indices.push_back(of.evaluateIndex(argument));
  return indices;
}

SmallVector<LaneIndex> unsummedIndices(const AttendProblem &problem, RegionVectoriser &of) {
  SmallVector<LaneIndex> indices;
  for (auto [dimension, index] : llvm::enumerate(outerIndices(problem, of)))
    if (!problem.isSummed(dimension))
      indices.push_back(index);
  return indices;
}

LoopBuilder::Values subscriptsOf(RegionVectoriser &point, tensor::ExtractOp extract) {
  LoopBuilder::Values subscripts;
  for (Value subscript : extract.getIndices())
    subscripts.push_back(point.evaluateIndex(subscript).base);
  return subscripts;
}

} // namespace attnc
