#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"

using namespace mlir;

namespace attnc {

namespace {

/// The assumed value of a dynamic size, where a choice depends on it.
constexpr int64_t typicalSize = 1024;

/// Enough panels for all cores, whatever the number of rows.
constexpr int64_t manyPanels = 64;

constexpr int64_t mostVectors = scheduleKey(KernelKind::Gemm, "nr").most; ///< of a panel
constexpr int64_t depthUnit = scheduleKey(KernelKind::Gemm, "kc").step;

int64_t knownOr(const SizeExpr &size, int64_t otherwise) { return size.isConstant() ? size.constant() : otherwise; }

/// The depth of a chunk: chunks of at most 384 steps, about equally long, in whole units. The number of steps of each
/// matrix of a grouped outer product is known at run time.
int64_t chooseDepth(const GemmProblem &problem) {
  constexpr int64_t longest = 384, longestOuter = 128;
  SizeExpr depth = problem.extent(LoopGroup::Depth);
  if (problem.isOuterProduct())
    return longestOuter;
  if (!depth.isConstant())
    return longest;
  int64_t chunks = std::max<int64_t>(1, llvm::divideCeil(depth.constant(), longest));
  return std::max<int64_t>(depthUnit, llvm::alignTo(llvm::divideCeil(depth.constant(), chunks), depthUnit));
}

} // namespace

int64_t tileRows(int64_t vectors, const Target &target) {
  int64_t rows = (target.vectorRegisters - 1 - vectors) / vectors;
  // An even height, and no more rows than the addresses of their elements leave registers for.
  return std::min(scheduleKey(KernelKind::Gemm, "mr").most, std::max<int64_t>(1, rows / 2 * 2));
}

/// The width, and the fraction of the peak that it reaches; zeros if there is none.
static std::pair<int64_t, double> bestPanel(int64_t columns, const Target &target, bool inWholePanels) {
  // Measured fraction of the peak of a tile of 1 to 4 vectors a row, with 32 registers and with 16.
  static constexpr double many[] = {0.75, 0.94, 0.97, 0.95};
  static constexpr double few[] = {0.75, 0.95, 0.90, 0.0};
  static_assert(std::size(many) == mostVectors && std::size(few) == mostVectors);
  const double *speed = target.vectorRegisters >= 32 ? many : few;
  columns = std::max<int64_t>(columns, 1); // an empty result has a width, too
  int64_t best = 0;
  double bestSpeed = 0;
  for (int64_t vectors = 1; vectors <= mostVectors; ++vectors) {
    int64_t nr = vectors * target.f32Lanes;
    double fraction = speed[vectors - 1] * columns / llvm::alignTo(columns, nr);
    bool isAllowed = !inWholePanels || columns % nr == 0;
    if (isAllowed && fraction > bestSpeed) {
      best = nr;
      bestSpeed = fraction;
    }
  }
  return {best, bestSpeed};
}

int64_t choosePanelColumns(int64_t columns, const Target &target, bool inWholePanels) {
  return bestPanel(columns, target, inWholePanels).first;
}

double panelSpeed(int64_t columns, const Target &target) { return bestPanel(columns, target, false).second; }

/// Whether right is read once, along K, without packing.
static bool suitsDots(const GemmProblem &problem) {
  SizeExpr rows = problem.extent(LoopGroup::Row);
  return !problem.packing && !problem.selector && problem.rightIsTransposed() && rows.isConstant() &&
         rows.constant() > 0 && rows.constant() <= mostDotRows && problem.isFlat(problem.left, LoopGroup::Depth) &&
         problem.innerStride(problem.left, LoopGroup::Depth) == SizeExpr(1);
}

bool isRowContiguous(const GemmProblem &problem) {
  auto isFlat = [&](LoopGroup group) { return problem.isFlat(problem.left, group); };
  return isFlat(LoopGroup::Row) && isFlat(LoopGroup::Depth) &&
         problem.innerStride(problem.left, LoopGroup::Row) == SizeExpr(1) &&
         !(problem.innerStride(problem.left, LoopGroup::Depth) == SizeExpr(1));
}

/// Whether right is a K x N matrix that the kernel would have to pack, and the number of rows is constant.
static bool mayReadRight(const GemmProblem &problem) {
  return !problem.packing && !problem.selector && !problem.rightIsTransposed() &&
         problem.extent(LoopGroup::Row).isConstant() && problem.extent(LoopGroup::Column).isConstant();
}

/// The widest panel that divides the columns and is multiplied with all rows in one tile; zero if there is none.
static int64_t wholePanel(int64_t rows, int64_t columns, const Target &target) {
  for (int64_t vectors = mostVectors; vectors > 0; --vectors)
    if (columns % (vectors * target.f32Lanes) == 0 && rows <= tileRows(vectors, target))
      return vectors * target.f32Lanes;
  return 0;
}

static bool suitsCopyingRows(const GemmProblem &problem) {
  auto stored = cast<RankedTensorType>(argumentOf(problem.left.tensor).getType());
  return (isNarrow(stored.getElementType()) || problem.selector) && problem.isFlat(problem.left, LoopGroup::Depth) &&
         problem.innerStride(problem.left, LoopGroup::Depth) == SizeExpr(1);
}

GemmSchedule::GemmSchedule(const GemmProblem &problem, const Target &target)
    : dots(suitsDots(problem)),
      copiesLeft(!dots && (problem.selector ? problem.isOuterProduct() : isRowContiguous(problem))),
      copiesRows(!dots && !copiesLeft && suitsCopyingRows(problem)), lanes(target.f32Lanes),
      prefetch(target.isa->prefetch) {
  SizeExpr rows = problem.extent(LoopGroup::Row), columns = problem.extent(LoopGroup::Column);
  int64_t chosen = choosePanelColumns(knownOr(columns, typicalSize), target);
  if (!copiesLeft && mayReadRight(problem))
    if (int64_t whole = wholePanel(rows.constant(), columns.constant(), target))
      chosen = whole;
  nr = problem.packing ? problem.packing->nr
       : dots          ? mostVectors * lanes
                       : scheduled(problem.kernel, "nr").value_or(chosen);
  mr = scheduled(problem.kernel, "mr").value_or(tileRows(vectors(), target));
  kc = scheduled(problem.kernel, "kc").value_or(chooseDepth(problem));
  tilesPerBlock = std::max<int64_t>(1, scheduled(problem.kernel, "mc").value_or(copiesLeft ? 64 : 32) / mr);
  rowTiles = rows.ceilDiv(mr);
  // No more than there are: each tile of a block prefetches its part.
  tilesPerBlock = std::clamp<int64_t>(knownOr(rowTiles, tilesPerBlock), 1, tilesPerBlock);
  if (dots) // all rows are computed together
    tilesPerBlock = rowTiles.constant();
  rowBlocks = rowTiles.ceilDiv(tilesPerBlock);
  panels = columns.ceilDiv(nr);
  readsRight = suitsReadingRight(problem);
  storesFromRegisters = suitsStoringFromRegisters(problem);
  packsPanels =
      !problem.packing && !dots && !readsRight && !copiesLeft && (problem.selector || knownOr(panels, 0) >= manyPanels);
  chooseGroups(problem);
  chooseHeights(problem);
}

bool GemmSchedule::suitsReadingRight(const GemmProblem &problem) const {
  return mayReadRight(problem) && !copiesLeft && problem.extent(LoopGroup::Row).constant() <= mr &&
         problem.extent(LoopGroup::Column).constant() % nr == 0;
}

bool GemmSchedule::suitsStoringFromRegisters(const GemmProblem &problem) const {
  SizeExpr depth = problem.extent(LoopGroup::Depth);
  return !dots && !readsRight && !copiesLeft && !problem.selector && depth.isConstant() &&
         depth.constant() <= std::min(kc, shortDepth) && problem.isFlat(problem.left, LoopGroup::Depth) &&
         hasShortFormula(problem);
}

void GemmSchedule::chooseGroups(const GemmProblem &problem) {
  // Enough work to make the cost of a chunk negligible, and still sixteen groups to distribute among cores.
  constexpr int64_t chunkDepth = 3072, fewestGroups = 16;
  int64_t depth = std::max<int64_t>(1, knownOr(problem.extent(LoopGroup::Depth), typicalSize));
  int64_t most = std::max<int64_t>(1, knownOr(panels, typicalSize / nr) / fewestGroups);
  panelsPerChunk = std::clamp<int64_t>(chunkDepth / depth, 1, most);
  // Copied tiles are multiplied with eight panels, or sixteen if there are enough blocks of rows to distribute.
  constexpr int64_t manyBlocks = 64;
  if (copiesLeft)
    panelsPerChunk = std::clamp<int64_t>(knownOr(panels, 8), 1, knownOr(rowBlocks, 1) >= manyBlocks ? 16 : 8);
  panelGroups = panels.ceilDiv(panelsPerChunk);
  if (readsRight && panelGroups == SizeExpr(1)) {
    constexpr int64_t chunkWork = int64_t(1) << 17; // multiply-adds
    int64_t work = problem.extent(LoopGroup::Row).constant() * problem.extent(LoopGroup::Column).constant() * depth;
    batchesPerChunk = std::max<int64_t>(1, chunkWork / std::max<int64_t>(1, work));
  }
}

void GemmSchedule::chooseHeights(const GemmProblem &problem) {
  SizeExpr rows = problem.extent(LoopGroup::Row);
  if (!rows.isConstant() || problem.isGroupedProduct()) {
    for (int64_t height = 1; height < mr; height *= 2)
      singleHeights.push_back(height);
    singleHeights.push_back(mr);
    if (mr > 1)
      blockHeights.push_back(mr - 1);
    blockHeights.push_back(mr);
  } else if (rows.constant() <= mr && !problem.isOuterProduct()) {
    singleHeights.push_back(std::max<int64_t>(1, rows.constant()));
  } else {
    int64_t tiles = rowTiles.constant();
    blockHeights.push_back(rows.constant() / tiles);
    if (rows.constant() % tiles)
      blockHeights.push_back(rows.constant() / tiles + 1);
  }
}

int64_t GemmSchedule::accumulatorSets(int64_t rows) const {
  int64_t sets = std::max<int64_t>(1, mr * vectors() / (rows * vectors()));
  return std::min<int64_t>(8, int64_t(1) << llvm::Log2_64(sets));
}

SizeExpr GemmSchedule::chunks(const GemmProblem &problem) const {
  if (problem.extent(LoopGroup::Row) == SizeExpr(0))
    return SizeExpr(0);
  if (readsRight)
    return problem.extent(LoopGroup::Batch).ceilDiv(batchesPerChunk) * panelGroups;
  SizeExpr matrices = problem.extent(LoopGroup::Batch);
  if (problem.isGroupedProduct()) // those that have rows
    matrices = SizeExpr::min(matrices, problem.extent(LoopGroup::Row));
  return matrices * (hasAllRows(problem) ? SizeExpr(1) : rowBlocks) * panelGroups;
}

int64_t GemmSchedule::sumsBytes() const { return llvm::alignTo(sumFloats() * 4, scratchAlignment); }

SizeExpr GemmSchedule::rowFloats(const GemmProblem &problem) const {
  return copiesRows ? problem.extent(LoopGroup::Depth) * SizeExpr(blockRows()) : SizeExpr(0);
}

SizeExpr GemmSchedule::rowsOffset(const GemmProblem &problem) const {
  SizeExpr bytes = sumsBytes() + llvm::alignTo(copiedFloats() * 4, scratchAlignment);
  if (packsPanels)
    bytes += (problem.extent(LoopGroup::Depth) * SizeExpr(nr * 4)).alignTo(scratchAlignment);
  return bytes;
}

SizeExpr GemmSchedule::workerBytes(const GemmProblem &problem) const {
  return rowsOffset(problem) + (rowFloats(problem) * SizeExpr(4)).alignTo(scratchAlignment);
}

} // namespace attnc
