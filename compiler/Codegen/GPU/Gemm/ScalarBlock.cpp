// The form without tensor cores: f32, each thread an outer product of four neighbours of rows, and four of columns, as
// often as the block has 64 of them. Both tiles lie with the depth along their rows, so that four neighbours are an
// access; the 32 threads of a warp read four such of left and eight of right at a time.
#include "compiler/Codegen/GPU/Gemm/InStepBlock.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

namespace {

constexpr int64_t quad = unitBytes / wordBytes;
/// Quads of rows, and of columns, that the threads of a block have side by side.
constexpr int64_t quadsAlong = 16;

class ScalarBlock : public InStepBlock {
public:
  ScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
      : InStepBlock(problem, tiling, frame), high(tiling.rows / (quad * quadsAlong)),
        wide(tiling.columns / (quad * quadsAlong)) {
    Value lane = tiles.rem(thread, warpThreads), warp = tiles.div(thread, warpThreads);
    rowQuad = tiles.add(tiles.mul(tiles.div(warp, 2), 4), tiles.div(lane, 8));
    columnQuad = tiles.add(tiles.mul(tiles.rem(warp, 2), 8), tiles.rem(lane, 8));
  }

protected:
  Values zeroSums() override {
    Value zero = arith::ConstantOp::create(tiles.builder, tiles.location, tiles.builder.getF32FloatAttr(0));
    return Values(high * quad * wide * quad, zero);
  }

  /// Sums are rows x columns of this thread.
  Values multiply(Value stageLeft, Value stageRight, ValueRange before) override {
    Values sums(before);
    for (int64_t k = 0; k < tiling.depth; ++k) {
      Values a = readQuads(left, stageLeft, rowQuad, high, k), b = readQuads(right, stageRight, columnQuad, wide, k);
      for (size_t row = 0; row < a.size(); ++row)
        for (size_t column = 0; column < b.size(); ++column) {
          Value &sum = sums[row * b.size() + column];
          sum = LLVM::FMAOp::create(tiles.builder, tiles.location, a[row], b[column], sum);
        }
    }
    return sums;
  }

  void writeSums(ValueRange sums, const SharedTile &target) override {
    Type type = VectorType::get({quad}, tiles.builder.getF32Type());
    for (int64_t row = 0; row < high * quad; ++row)
      for (int64_t column = 0; column < wide; ++column) {
        Value place = target.place(tiles, tiles.add(tiles.mul(quadNumber(rowQuad, row / quad), quad), row % quad),
                                   quadNumber(columnQuad, column));
        Value vector = vector::FromElementsOp::create(tiles.builder, tiles.location, type,
                                                      sums.slice((row * wide + column) * quad, quad));
        storeVector(vector, tiles.at(target.base, tiles.add(place, target.offset)), unitBytes);
      }
  }

private:
  Value quadNumber(Value first, int64_t round) { return tiles.add(first, round * quadsAlong); }

  Values readQuads(const SharedTile &tile, Value stage, Value first, int64_t count, int64_t k) {
    Values read;
    Type type = VectorType::get({quad}, tiles.builder.getF32Type());
    for (int64_t round = 0; round < count; ++round) {
      Value place = tile.place(tiles, tiles.number(k), quadNumber(first, round));
      Value pointer = tiles.at(tile.base, tiles.add(stage, place));
      Value vector = LLVM::LoadOp::create(tiles.builder, tiles.location, type, pointer, unitBytes);
      for (int64_t each = 0; each < quad; ++each)
        read.push_back(vector::ExtractOp::create(tiles.builder, tiles.location, vector, ArrayRef<int64_t>{each}));
    }
    return read;
  }

  const int64_t high, wide;
  Value rowQuad, columnQuad;
};

} // namespace

std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame) {
  return std::make_unique<ScalarBlock>(problem, tiling, frame);
}

} // namespace attnc
