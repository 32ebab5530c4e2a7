#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// Blocks that keep a device busy.
static constexpr int64_t manyBlocks = 128;
/// What a dynamic size is taken for, where tiles are chosen.
static constexpr int64_t typicalSize = 1024;

static std::optional<MatrixType> matrixType(const GemmProblem &problem, Type left, Type right) {
  if (left != right)
    return std::nullopt;
  func::FuncOp kernel = problem.kernel;
  if (left.isF32())
    return kernel->hasAttr(tf32AttrName) ? std::optional(MatrixType::TF32) : std::nullopt;
  return matrixTypeOf(left);
}

GemmTiling::GemmTiling(const GemmProblem &problem) {
  GemmOperand left(problem, GemmOperand::Side::Left), right(problem, GemmOperand::Side::Right);
  auto typical = [&](LoopGroup group) {
    SmallVector<int64_t> sizes(problem.sizes.numSymbols(), typicalSize);
    return problem.extent(group).evaluate(sizes);
  };
  int64_t m = typical(LoopGroup::Row), n = typical(LoopGroup::Column);
  auto blocks = [&](int64_t side) {
    return typical(LoopGroup::Batch) * llvm::divideCeil(m, side) * llvm::divideCeil(n, side);
  };
  rows = columns = std::min(m, n) >= 128 && blocks(128) >= manyBlocks ? 128 : 64;
  matrix = matrixType(problem, left.element(), right.element());
  if (matrix) {
    constexpr int64_t stageRowBytes = 64;
    depth = stageRowBytes / attnc::elementBytes(*matrix);
    // Elements of 16 bits travel in units alone; wider ones by themselves too.
    if (*matrix != MatrixType::TF32 && !(left.hasUnits(depth) && right.hasUnits(depth)))
      matrix = std::nullopt;
  }
  if (matrix) {
    stages = 4;
    threads = 128;
    warpRows = rows / 2;
    warpColumns = columns / 2;
  } else {
    depth = 8;
    stages = 4;
    threads = 256;
  }
  assert(matrix || (rows % 64 == 0 && columns % 64 == 0));
  assert(!matrix || rows / warpRows * (columns / warpColumns) * warpThreads == threads);
  rowBlocks = problem.extent(LoopGroup::Row).ceilDiv(rows);
  columnBlocks = problem.extent(LoopGroup::Column).ceilDiv(columns);
}

} // namespace attnc
