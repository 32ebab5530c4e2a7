// Products without tensor cores, in f32: each thread computes outer products of four neighbouring rows and four
// neighbouring columns, one for each 64 x 64 of the block. The rows of both tiles run along the depth, so four
// neighbours are one access; a warp reads four such accesses of left and eight of right at a time.
#include "compiler/Codegen/GPU/Gemm/MultistageBlock.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

namespace {

constexpr int64_t quad = vectorBytes / f32Bytes;
/// Quads along the rows, and along the columns, over the threads of a block.
constexpr int64_t quadsAlong = 16;

class ScalarBlock : public MultistageBlock {
public:
  ScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
      : MultistageBlock(problem, tiling, frame), high(tiling.rows / (quad * quadsAlong)),
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

  /// Sums of this thread are [row][column].
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
        Value offset =
            target.vectorOffset(tiles, tiles.add(tiles.mul(quadNumber(rowQuad, row / quad), quad), row % quad),
                                quadNumber(columnQuad, column));
        Value vector = vector::FromElementsOp::create(tiles.builder, tiles.location, type,
                                                      sums.slice((row * wide + column) * quad, quad));
        storeVector(vector, tiles.at(target.base, tiles.add(offset, target.offset)), vectorBytes);
      }
  }

private:
  Value quadNumber(Value first, int64_t round) { return tiles.add(first, round * quadsAlong); }

  Values readQuads(const SharedTile &tile, Value stage, Value first, int64_t count, int64_t k) {
    Values read;
    Type type = VectorType::get({quad}, tiles.builder.getF32Type());
    for (int64_t round = 0; round < count; ++round) {
      Value offset = tile.vectorOffset(tiles, tiles.constant(k), quadNumber(first, round));
      Value pointer = tiles.at(tile.base, tiles.add(stage, offset));
      Value vector = LLVM::LoadOp::create(tiles.builder, tiles.location, type, pointer, vectorBytes);
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
