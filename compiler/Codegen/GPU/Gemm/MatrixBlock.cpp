// Products by mma.sync: each warp has a part of the block in fragments. For each k-tile it loads every fragment of left
// and right once.
#include "compiler/Codegen/GPU/Gemm/MultistageBlock.h"

using namespace mlir;

namespace attnc {

namespace {

class MatrixBlock : public MultistageBlock {
public:
  MatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
      : MultistageBlock(problem, tiling, frame), type(*tiling.matrix), high(tiling.warpRows / productRows),
        wide(tiling.warpColumns / productColumns), lane(tiles.rem(thread, warpThreads)) {
    Value warp = tiles.div(thread, warpThreads);
    int64_t across = tiling.columns / tiling.warpColumns;
    firstRow = tiles.mul(tiles.div(warp, across), tiling.warpRows);
    firstColumn = tiles.mul(tiles.rem(warp, across), tiling.warpColumns);
  }

protected:
  Values zeroSums() override {
    Values sums;
    for (int64_t each = 0; each < high * wide; ++each)
      llvm::append_range(sums, zeroFragment(tiles));
    return sums;
  }

  Values multiply(Value stageLeft, Value stageRight, ValueRange before) override {
    using Matrix = FragmentReader::Matrix;
    FragmentReader readLeft = reader(left, Matrix::A, leftOperand, firstRow);
    FragmentReader readRight = reader(right, Matrix::B, rightOperand, firstColumn);
    Values sums(before);
    for (int64_t k = 0; k < tiling.depth; k += productDepth(type)) {
      SmallVector<FragmentA> a;
      SmallVector<FragmentB> b;
      for (int64_t row = 0; row < tiling.warpRows; row += productRows)
        a.push_back(read(readLeft, stageLeft, leftOperand, row, k));
      for (int64_t column = 0; column < tiling.warpColumns; column += 2 * productColumns) {
        std::array<Value, 4> two = read(readRight, stageRight, rightOperand, column, k);
        b.push_back({two[0], two[1]});
        b.push_back({two[2], two[3]});
      }
      for (int64_t row = 0; row < high; ++row)
        for (int64_t column = 0; column < wide; ++column) {
          auto at = MutableArrayRef<Value>(sums).slice(4 * (row * wide + column), 4);
          FragmentD sum = multiplyAdd(tiles, type, a[row], b[column], {at[0], at[1], at[2], at[3]});
          llvm::copy(sum, at.begin());
        }
    }
    return sums;
  }

  void writeSums(ValueRange sums, const SharedTile &target) override {
    writeFragments(sums, wide, target, firstRow, firstColumn);
  }

private:
  int64_t vectorsOf(int64_t elements) const { return elements * elementBytes(type) / vectorBytes; }

  /// Reads this warp's part, from `first` (i32) of the operand's outer group on.
  FragmentReader reader(const SharedTile &tile, FragmentReader::Matrix matrix, const GemmOperand &operand,
                        Value first) {
    bool isTransposed = rowsAreDepth(operand);
    Value vectors = isTransposed ? tiles.div(tiles.mul(first, elementBytes(type)), vectorBytes) : Value();
    return FragmentReader(tiles, tile, matrix, !isTransposed, lane, {isTransposed ? Value() : first, vectors});
  }

  std::array<Value, 4> read(FragmentReader &reader, Value stage, const GemmOperand &operand, int64_t outer, int64_t k) {
    bool isTransposed = rowsAreDepth(operand);
    auto registers = reader.read(stage, isTransposed ? k : outer, vectorsOf(isTransposed ? outer : k));
    if (type == MatrixType::TF32)
      for (Value &element : registers)
        element = roundToTf32(tiles, element);
    return registers;
  }

  const MatrixType type;
  const int64_t high, wide; ///< fragments of sums
  Value lane, firstRow, firstColumn;
};

} // namespace

std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame) {
  return std::make_unique<MatrixBlock>(problem, tiling, frame);
}

} // namespace attnc
