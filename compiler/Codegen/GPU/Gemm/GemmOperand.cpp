#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "compiler/Sizes/Divisibility.h"

using namespace mlir;

namespace attnc {

GemmOperand::GemmOperand(const GemmProblem &problem, Side side)
    : problem(problem), side(side), access(side == Side::Left ? problem.left : problem.right) {}

Type GemmOperand::element() const {
  return cast<RankedTensorType>(argumentOf(access.tensor).getType()).getElementType();
}

LoopGroup GemmOperand::inner() const {
  bool hasDepth = !(problem.extent(LoopGroup::Depth) == SizeExpr(1));
  return hasDepth && problem.innerStride(access, LoopGroup::Depth) == SizeExpr(1) ? LoopGroup::Depth : outer();
}

bool GemmOperand::hasVectors(int64_t tileDepth) const {
  func::FuncOp kernel = problem.kernel;
  if (kernel.getArgAttr(argumentOf(access.tensor).getArgNumber(), unalignedAttrName))
    return false;
  LoopGroup along = inner();
  int64_t vector = vectorBytes / elementBytes();
  if (!(problem.innerStride(access, along) == SizeExpr(1)))
    return false;
  // The rows of a tile are consecutive numbers of the other group; tiles are consecutive along both groups.
  bool isFlat = problem.isFlat(access, along);
  SizeExpr run = isFlat ? problem.extent(along) : problem.depthRun();
  if (!isFlat && (along != LoopGroup::Depth || !isMultipleOf(run, tileDepth)))
    return false;
  if (along != LoopGroup::Depth && !problem.isFlat(access, LoopGroup::Depth))
    return false;
  bool isInRun = true;
  for (unsigned dimension = access.loops.size(); dimension-- > 0;) {
    unsigned loop = access.loops[dimension];
    if (problem.loopSizes[loop] == SizeExpr(1))
      continue;
    isInRun &= llvm::is_contained(problem.loopsOf(along), loop);
    if (!isInRun && !isMultipleOf(problem.stride(access, dimension), vector))
      return false;
  }
  return true;
}

Value GemmOperand::offset(FlatBuilder &code, KernelFrame &frame, LoopGroup group, Value flat) const {
  auto scaled = [&](Value number, const SizeExpr &stride) {
    return code.mul(number, frame.size(stride * SizeExpr(elementBytes())));
  };
  SmallVector<unsigned> positions;
  SmallVector<SizeExpr> sizes;
  for (unsigned loop : problem.loopsOf(group)) {
    positions.push_back(llvm::find(access.loops, loop) - access.loops.begin());
    sizes.push_back(problem.loopSizes[loop]);
  }
  if (positions.empty())
    return code.constant(0);
  if (problem.isFlat(access, group))
    return scaled(flat, problem.innerStride(access, group));
  Value sum = code.constant(0);
  for (auto [position, coordinate] : llvm::zip(positions, coordinatesOf(code, frame, sizes, flat)))
    sum = code.add(sum, scaled(coordinate, problem.stride(access, position)));
  return sum;
}

//===------------------------------------------ tensor maps -------------------------------------------------------===//

std::array<LoopGroup, 3> GemmOperand::groupsInnermostFirst() const {
  LoopGroup along = inner();
  return {along, along == LoopGroup::Depth ? outer() : LoopGroup::Depth, LoopGroup::Batch};
}

SmallVector<GemmOperand::Run> GemmOperand::stridedRuns(LoopGroup group) const {
  SmallVector<Run> runs;
  if (problem.isFlat(access, group)) {
    runs.push_back({problem.extent(group), problem.innerStride(access, group)});
  } else {
    for (unsigned loop : llvm::reverse(problem.loopsOf(group))) {
      unsigned dimension = llvm::find(access.loops, loop) - access.loops.begin();
      runs.push_back({problem.loopSizes[loop], problem.stride(access, dimension)});
    }
  }
  llvm::erase_if(runs, [](const Run &each) { return each.size == SizeExpr(1); });
  return runs;
}

std::optional<MappedTensor> GemmOperand::mapped(int64_t neighbours, int64_t rows) const {
  auto [along, across, batch] = groupsInnermostFirst();
  if (!problem.isFlat(access, across) || (along != LoopGroup::Depth && !problem.isFlat(access, along)))
    return std::nullopt;
  if (stridedRuns(along).empty() || stridedRuns(across).empty() || !(stridedRuns(along).front().stride == SizeExpr(1)))
    return std::nullopt;
  MappedTensor tensor{bufferNumber(access.tensor), SizeExpr(0), elementBytes(), {}, {}, {}};
  tensor.roundsToTf32 = element().isF32();
  for (auto [group, side] : {std::pair(along, neighbours), std::pair(across, rows), std::pair(batch, int64_t(1))})
    for (auto [number, run] : llvm::enumerate(stridedRuns(group))) {
      tensor.sizes.push_back(run.size);
      tensor.strides.push_back(run.stride * SizeExpr(elementBytes()));
      tensor.box.push_back(number == 0 ? side : 1);
    }
  tensor.strides.erase(tensor.strides.begin());
  return tensor.check(problem.kernel) ? std::optional(tensor) : std::nullopt;
}

SmallVector<Value> GemmOperand::coordinates(FlatBuilder &code, TileBuilder &tiles, KernelFrame &frame, Value batch,
                                            Value outerNumber, Value depth) const {
  SmallVector<Value> all;
  for (LoopGroup group : groupsInnermostFirst()) {
    Value flat = group == LoopGroup::Batch ? batch : group == LoopGroup::Depth ? depth : outerNumber;
    SmallVector<Run> runs = stridedRuns(group);
    std::reverse(runs.begin(), runs.end());
    auto sizes = llvm::map_to_vector(runs, [](const Run &run) { return run.size; });
    FlatBuilder::Values outermostFirst = coordinatesOf(code, frame, sizes, flat);
    for (Value coordinate : llvm::reverse(outermostFirst))
      all.push_back(tiles.fromIndex(coordinate));
  }
  return all;
}

} // namespace attnc
