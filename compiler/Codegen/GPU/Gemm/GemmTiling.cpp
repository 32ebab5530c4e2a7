#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"
#include <cassert>
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

/// Blocks that keep a device busy; multiprocessors of a device with warp groups.
static constexpr int64_t busyBlocks = 128, multiprocessors = 132;

/// Bytes of the depth in a stage; for warp groups, the largest swizzle of the hardware.
static constexpr int64_t stageRowBytes = 64, groupStageRowBytes = 128;

namespace {

struct Operands {
  explicit Operands(const GemmProblem &problem)
      : left(problem, GemmOperand::Side::Left), right(problem, GemmOperand::Side::Right) {}

  /// The type of the tensor-core products.
  Verdict readType(func::FuncOp kernel, MatrixType &type) const {
    if (left.element() != right.element())
      return Verdict::no(fmt::format("its operands are stored in two types, {} and {}", textOf(left), textOf(right)));
    bool isF32 = left.element().isF32();
    if (isF32 && !kernel->hasAttr(tf32AttrName))
      return Verdict::no("its operands are stored in f32, and may not be rounded to tf32 (see --precision)");
    std::optional<MatrixType> found = isF32 ? MatrixType::TF32 : matrixTypeOf(left.element());
    if (!found)
      return Verdict::no(fmt::format("its operands are stored in {}", textOf(left)));
    type = *found;
    return Verdict::yes();
  }

  Verdict haveVectors(int64_t depth) const {
    for (const GemmOperand *operand : {&left, &right})
      if (!operand->hasVectors(depth))
        return Verdict::no(
            fmt::format("its {} operand is not stored in whole 16-byte vectors", operand == &left ? "left" : "right"));
    return Verdict::yes();
  }

  GemmOperand left, right;

private:
  static std::string textOf(const GemmOperand &operand) {
    std::string text;
    llvm::raw_string_ostream(text) << operand.element();
    return text;
  }
};

} // namespace

Verdict GemmTiling::suitsTensorCores(const GemmProblem &problem) {
  Operands operands(problem);
  MatrixType type;
  if (Verdict verdict = operands.readType(problem.kernel, type); !verdict)
    return verdict;
  // 16-bit elements are copied as 16-byte vectors only; f32 also element by element.
  return type == MatrixType::TF32 ? Verdict::yes() : operands.haveVectors(stageRowBytes / elementBytes(type));
}

Verdict GemmTiling::suitsWarpGroups(const GemmProblem &problem) {
  Operands operands(problem);
  MatrixType type;
  if (Verdict verdict = operands.readType(problem.kernel, type); !verdict)
    return verdict;
  if (Verdict verdict = operands.haveVectors(groupStageRowBytes / elementBytes(type)); !verdict)
    return verdict;
  bool isAlongDepth = operands.left.inner() == LoopGroup::Depth && operands.right.inner() == LoopGroup::Depth;
  if (type == MatrixType::TF32 && !isAlongDepth)
    return Verdict::no("an operand in tf32 is not contiguous along the depth");
  return Verdict::yes();
}

namespace {

/// Sizes of a problem for the choice of tiles, with values assumed for dynamic ones.
struct TypicalSizes {
  TypicalSizes(const GemmProblem &problem, int64_t maxRows) {
    SmallVector<int64_t> sizes(problem.sizes.numSymbols(), typicalSize);
    auto typical = [&](LoopGroup group) { return problem.extent(group).evaluate(sizes); };
    batch = typical(LoopGroup::Batch), rows = typical(LoopGroup::Row), columns = typical(LoopGroup::Column);
    flops = problem.flops().evaluate(sizes);
    if (rows > maxRows) {
      flops = flops / rows * maxRows;
      rows = maxRows;
    }
  }
  int64_t blocks(int64_t high, int64_t wide) const {
    return batch * static_cast<int64_t>(llvm::divideCeil(rows, high) * llvm::divideCeil(columns, wide));
  }

  int64_t batch, rows, columns, flops;
};

} // namespace

bool GemmTiling::operator==(const GemmTiling &other) const {
  return matrix == other.matrix && rows == other.rows && columns == other.columns && threads == other.threads &&
         prefersMaps == other.prefersMaps;
}

void GemmTiling::countBlocks(const GemmProblem &problem) {
  rowBlocks = problem.extent(LoopGroup::Row).ceilDiv(rows);
  columnBlocks = problem.extent(LoopGroup::Column).ceilDiv(columns);
}

/// Whether an operand is copied element by element: tf32, if a transposition or unaligned vectors rule out 16-byte
/// vectors.
static bool isCopiedByElement(MatrixType type, const GemmOperand &operand, int64_t depth) {
  return type == MatrixType::TF32 && !(operand.inner() == LoopGroup::Depth && operand.hasVectors(depth));
}

//===------------------------------------------ warps -------------------------------------------------------------===//

GemmTiling GemmTiling::forWarps(const GemmProblem &problem, int64_t maxRows) {
  Operands operands(problem);
  TypicalSizes sizes(problem, maxRows);
  GemmTiling tiling;
  bool isLarge = std::min(sizes.rows, sizes.columns) >= 128 && sizes.blocks(128, 128) >= busyBlocks;
  tiling.rows = tiling.columns = isLarge ? 128 : 64;
  tiling.stages = 4;
  if (suitsTensorCores(problem)) {
    operands.readType(problem.kernel, tiling.matrix.emplace());
    tiling.depth = stageRowBytes / elementBytes(*tiling.matrix);
    // If both operands are copied element by element, four warps lack registers for a quarter of the sums each.
    auto isByElement = [&](const GemmOperand &operand) {
      return isCopiedByElement(*tiling.matrix, operand, tiling.depth);
    };
    bool areByElement = isByElement(operands.left) && isByElement(operands.right);
    tiling.threads = areByElement ? 256 : 128;
    tiling.warpRows = tiling.rows / 2;
    tiling.warpColumns = tiling.columns / (areByElement ? 4 : 2);
    assert(tiling.rows / tiling.warpRows * (tiling.columns / tiling.warpColumns) * warpThreads == tiling.threads);
  } else {
    tiling.depth = 8;
    tiling.threads = 256;
    assert(tiling.rows % 64 == 0 && tiling.columns % 64 == 0);
  }
  tiling.countBlocks(problem);
  return tiling;
}

//===------------------------------------------ warp groups -------------------------------------------------------===//

namespace {

struct BlockShape {
  int64_t rows, columns, groups;
};

} // namespace

/// The time of a k-tile is that of copying its tiles from L2, proportional to rows + columns. So the shape is chosen
/// whose rounds of blocks, one for each multiprocessor, copy least. Two blocks on a multiprocessor share its L2
/// bandwidth, so they count one after the other.
static BlockShape shapeFor(const TypicalSizes &sizes) {
  constexpr BlockShape shapes[] = {{128, 256, 2}, {256, 128, 2}, {128, 128, 2}, {64, 128, 1}, {64, 64, 1}};
  auto copied = [&](const BlockShape &shape) {
    int64_t rounds = llvm::divideCeil(sizes.blocks(shape.rows, shape.columns), multiprocessors);
    return rounds * (shape.rows + shape.columns);
  };
  return *llvm::min_element(shapes, [&](const BlockShape &a, const BlockShape &b) { return copied(a) < copied(b); });
}

std::optional<GemmTiling> GemmTiling::forWarpGroups(const GemmProblem &problem, int64_t maxRows) {
  if (!suitsWarpGroups(problem))
    return std::nullopt;
  GemmTiling tiling;
  Operands(problem).readType(problem.kernel, tiling.matrix.emplace());
  tiling.depth = groupStageRowBytes / elementBytes(*tiling.matrix);
  TypicalSizes sizes(problem, maxRows);
  BlockShape shape = shapeFor(sizes);
  tiling.rows = shape.rows;
  tiling.columns = shape.columns;
  tiling.groups = shape.groups;
  tiling.threads = (shape.groups + 1) * warpGroupThreads;
  tiling.panelRowBytes = groupStageRowBytes;
  tiling.prefersMaps = sizes.flops >= flopsWorthMaps;
  // 227 KB of shared memory: one block with two consumer groups, or two blocks with one.
  constexpr int64_t groupMemory = 96 << 10;
  tiling.stages = shape.groups * groupMemory / ((shape.rows + shape.columns) * groupStageRowBytes);
  assert(tiling.stages >= 3 && tiling.rows * tiling.columns / (tiling.groups * warpGroupThreads) <= 128);
  tiling.countBlocks(problem);
  return tiling;
}

} // namespace attnc
