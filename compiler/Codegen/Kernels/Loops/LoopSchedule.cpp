#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "compiler/Codegen/Nest/LoopNest.h"

using namespace mlir;

namespace attnc {

/// Element operations that make a chunk worth its launch.
static constexpr int64_t chunkWork = 32768;

static SizeExpr product(ArrayRef<SizeExpr> sizes, ArrayRef<unsigned> loops) {
  SizeExpr result(1);
  for (unsigned each : loops)
    result = result * sizes[each];
  return result;
}

SizeExpr LoopSchedule::outerSize() const { return product(sizes, outer); }

SizeExpr LoopSchedule::vectorBlocks() const {
  return vectorPerChunk ? sizes[*vector].ceilDiv(vectorPerChunk) : SizeExpr(1);
}

int64_t LoopSchedule::pointsPerChunk() const {
  if (!vector || vectorReduces)
    return outerPerChunk;
  // A chunk has the whole vectorised loop if its size is constant and small.
  return outerPerChunk * (vectorPerChunk ? vectorPerChunk : sizes[*vector].constant());
}

int64_t assumedSize(const SizeExpr &size) { return size.isConstant() ? size.constant() : 64; }

/// The results of the map, or subscripts, without trailing ones of dimensions of size 1, which do not affect whether an
/// access is contiguous.
template <typename Range> static Range withoutUnits(Range each, Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  while (each.size() > 1 && type.getDimSize(each.size() - 1) == 1)
    each = each.drop_back();
  return each;
}

/// Cost of the accesses to the operands for a vector along loop `dim`, in contiguous loads.
static int64_t accessCost(linalg::GenericOp op, unsigned dim, bool reduces) {
  constexpr int64_t strided = 16, contiguous = 1, combined = 4;
  int64_t cost = reduces ? combined : 0;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(dim))
      continue;
    AffineExpr innermost = withoutUnits(map.getResults(), operand.get()).back();
    bool last = isa<AffineDimExpr>(innermost) && innermost.isFunctionOfDim(dim);
    bool once = llvm::count_if(map.getResults(), [&](AffineExpr each) { return each.isFunctionOfDim(dim); }) == 1;
    cost += last && once ? contiguous : strided;
  }
  return cost;
}

/// The same of tensor.extract with linalg.index `dim` in a subscript other than the last.
static int64_t extractCost(linalg::GenericOp op, unsigned dim) {
  int64_t cost = 0;
  op.getRegion().walk([&](tensor::ExtractOp extract) {
    if (extract.getIndices().empty())
      return;
    for (Value subscript : withoutUnits(ValueRange(extract.getIndices()), extract.getTensor()).drop_back())
      if (auto index = subscript.getDefiningOp<linalg::IndexOp>(); index && index.getDim() == dim)
        cost += 16;
  });
  return cost;
}

static bool foldsByOneCombiner(linalg::GenericOp op) {
  return llvm::all_of(llvm::seq(op.getNumResults()), [&](unsigned result) { return bool(matchFold(op, result)); });
}

static void chooseVector(linalg::GenericOp op, LoopSchedule &schedule, int64_t lanes) {
  bool folds = foldsByOneCombiner(op);
  int64_t best = 0;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool reduces = iterator == utils::IteratorType::reduction;
    if (reduces && !folds)
      continue;
    int64_t cost = accessCost(op, dim, reduces) + extractCost(op, dim);
    // Lanes that a short loop leaves unused.
    int64_t size = assumedSize(schedule.sizes[dim]);
    cost = cost * lanes / std::clamp<int64_t>(size, 1, lanes);
    if (schedule.vector && cost > best)
      continue;
    best = cost;
    schedule.vector = dim;
    schedule.vectorReduces = reduces;
  }
}

LoopSchedule scheduleLoops(linalg::GenericOp op, const KernelSizes &sizes, int64_t lanes) {
  LoopSchedule schedule;
  schedule.sizes = loopSizes(op, sizes);
  chooseVector(op, schedule, lanes);
  int64_t pointWork = 1;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool reduces = iterator == utils::IteratorType::reduction;
    if (reduces)
      pointWork *= std::max<int64_t>(assumedSize(schedule.sizes[dim]), 1);
    if (schedule.vector != dim)
      (reduces ? schedule.sequential : schedule.outer).push_back(dim);
  }
  // Points of the parallel loops in a chunk.
  auto kernel = op->getParentOfType<func::FuncOp>();
  int64_t points = std::max<int64_t>(scheduled(kernel, "chunk").value_or(chunkWork / pointWork), 1);
  if (schedule.vector && !schedule.vectorReduces) {
    const SizeExpr &size = schedule.sizes[*schedule.vector];
    int64_t block = llvm::alignTo(std::max<int64_t>(points, 8 * lanes), 8 * lanes);
    if (!size.isConstant() || size.constant() > block)
      schedule.vectorPerChunk = block;
    points /= std::max<int64_t>(std::min(assumedSize(size), block), 1);
  }
  schedule.outerPerChunk = std::max<int64_t>(points, 1);
  return schedule;
}

} // namespace attnc
