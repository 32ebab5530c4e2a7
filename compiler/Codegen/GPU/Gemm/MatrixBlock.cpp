// The form with tensor cores: a warp has a part of the block in fragments, and multiplies a step of the depth by one
// product of fragments after the other, with each fragment of left and right read once.
#include "compiler/Codegen/GPU/Gemm/InStepBlock.h"

using namespace mlir;

namespace attnc {

namespace {

class MatrixBlock : public InStepBlock {
public:
  MatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
      : InStepBlock(problem, tiling, frame), type(*tiling.matrix), high(tiling.warpRows / productRows),
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
  int64_t unitsOf(int64_t elements) const { return elements * elementBytes(type) / unitBytes; }

  /// Of this warp's part, `first` (i32) of the operand's outer group on.
  FragmentReader reader(const SharedTile &tile, FragmentReader::Matrix matrix, const GemmOperand &operand,
                        Value first) {
    bool isTurned = rowsAreDepth(operand);
    Value units = isTurned ? tiles.div(tiles.mul(first, elementBytes(type)), unitBytes) : Value();
    return FragmentReader(tiles, tile, matrix, !isTurned, lane, {isTurned ? Value() : first, units});
  }

  std::array<Value, 4> read(FragmentReader &reader, Value stage, const GemmOperand &operand, int64_t outer, int64_t k) {
    bool isTurned = rowsAreDepth(operand);
    auto words = reader.read(stage, isTurned ? k : outer, unitsOf(isTurned ? outer : k));
    if (type == MatrixType::TF32)
      for (Value &word : words)
        word = roundToTf32(tiles, word);
    return words;
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
