#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"

using namespace mlir;

namespace attnc {

FlatBuilder::Values coordinatesOf(FlatBuilder &code, KernelFrame &frame, ArrayRef<SizeExpr> sizes, Value flat) {
  FlatBuilder::Values coordinates(sizes.size());
  Value rest = flat;
  size_t outermost = 0;
  while (outermost + 1 < sizes.size() && sizes[outermost] == SizeExpr(1))
    ++outermost;
  for (size_t i = sizes.size(); i-- > 0;) {
    Value size = frame.size(sizes[i]);
    bool unit = sizes[i] == SizeExpr(1);
    coordinates[i] = unit ? code.constant(0) : i == outermost ? rest : code.rem(rest, size);
    if (!unit && i != outermost)
      rest = code.div(rest, size);
  }
  return coordinates;
}

void setCoordinates(FlatBuilder &code, KernelFrame &frame, const GemmProblem &problem, LoopGroup group, Value flat,
                    MutableArrayRef<LaneIndex> coordinates) {
  ArrayRef<unsigned> loops = problem.loopsOf(group);
  auto sizes = llvm::map_to_vector(loops, [&](unsigned loop) { return problem.loopSizes[loop]; });
  for (auto [loop, value] : llvm::zip(loops, coordinatesOf(code, frame, sizes, flat)))
    coordinates[loop] = LaneIndex{value, 0, Value(), true};
}

std::optional<unsigned> innermostColumn(const GemmProblem &problem) {
  ArrayRef<unsigned> columns = problem.loopsOf(LoopGroup::Column);
  for (unsigned loop : llvm::reverse(columns))
    if (!(problem.loopSizes[loop] == SizeExpr(1)))
      return loop;
  return columns.empty() ? std::nullopt : std::optional(columns.back());
}

static SmallVector<LaneIndex> subscriptsOf(AffineMap map, ArrayRef<LaneIndex> loops) {
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr e) { return loops[cast<AffineDimExpr>(e).getPosition()]; });
}

void storeSums(RegionVectoriser &vectoriser, KernelFrame &frame, const GemmProblem &problem, Value sums,
               MutableArrayRef<LaneIndex> coordinates) {
  bool isVector = isa<VectorType>(sums.getType());
  if (isVector)
    coordinates[*innermostColumn(problem)].step = 1;
  linalg::GenericOp epilogue = problem.epilogue;
  if (!epilogue) {
    auto subscripts = llvm::map_to_vector(problem.product.loops, [&](unsigned loop) { return coordinates[loop]; });
    if (problem.initial)
      sums = arith::AddFOp::create(frame.builder, frame.location, vectoriser.load(problem.initial, subscripts), sums);
    return vectoriser.store(sums, frame.result(0), subscripts);
  }
  SmallVector<LaneIndex> loops;
  for (unsigned loop : problem.epilogueLoops)
    loops.push_back(coordinates[loop]);
  vectoriser.bindIterations(epilogue, loops);
  for (OpOperand *operand : epilogue.getDpsInputOperands())
    if (operand->get() == problem.product.tensor)
      vectoriser.bindValue(epilogue.getMatchingBlockArgument(operand), sums);
  Value value = vectoriser.evaluate(epilogue.getRegion().front().getTerminator()->getOperand(0));
  AffineMap map = epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
  vectoriser.store(isVector ? vectoriser.broadcast(value) : value, frame.result(0), subscriptsOf(map, loops));
}

} // namespace attnc
