// Products by wgmma (sm_90a): a producer warp group fills a ring buffer, and consumer warp groups multiply its stages,
// each a range of rows of the block in slices of 64. One elected thread issues TMA copies if possible; else all threads
// of the producer copy, and mark a stage full when the next stage's copies are in flight. Consumers release a stage
// when the next stage's products are in flight.
#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"
#include <cassert>

using namespace mlir;

namespace attnc {

namespace {

/// Named barrier of the consumers.
constexpr int64_t productsBarrier = 1;

class WarpGroupBlock : public GemmBlock {
public:
  WarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame,
                 const std::optional<TensorMaps> &maps)
      : GemmBlock(problem, tiling, frame), maps(maps), type(*tiling.matrix),
        consumerThreads(tiling.groups * warpGroupThreads), slices(tiling.rows / tiling.groups / warpGroupRows),
        sliceSums(tiling.columns / 2), sharedLeft(left, type, !rowsAreDepth(leftOperand)),
        sharedRight(right, type, !rowsAreDepth(rightOperand)),
        ring(maps ? TileRing::forBulkCopies(memory, tiling.stages, consumerThreads / warpThreads)
                  : TileRing(memory, tiling.stages, warpGroupThreads, consumerThreads / warpThreads)) {}

  int64_t emit() override {
    ring.open(tiles, thread);
    Value copies = tiles.less(thread, tiles.constant(maps ? 1 : warpGroupThreads));
    tiles.when(copies, [&] { maps ? fetchAll() : copyAll(); });
    tiles.when(tiles.less(tiles.constant(warpGroupThreads - 1), thread), [&] {
      thread = tiles.sub(thread, tiles.constant(warpGroupThreads));
      group = tiles.div(thread, warpGroupThreads);
      lane = tiles.rem(thread, warpThreads);
      store(multiplyAll());
    });
    return memory.bytes();
  }

private:
  /// The producer with TMA: one thread.
  void fetchAll() {
    TensorMap leftMap = maps->acquire(tiles, frame, 0), rightMap = maps->acquire(tiles, frame, 1);
    TileRing::Position first = ring.first(tiles);
    tiles.loop(
        tiles.constant(0), kTiles(), 1, {first.stage, first.parity}, [&](Value kTile, ValueRange carried) -> Values {
          TileRing::Position position{carried[0], carried[1]};
          ring.awaitEmpty(tiles, position);
          ring.expect(tiles, position.stage, left.bytes() + right.bytes());
          Value full = ring.full(tiles, position.stage);
          leftMap.copy(tiles, left, left.stageOffset(tiles, position.stage), kTileStart(leftOperand, kTile), full);
          rightMap.copy(tiles, right, right.stageOffset(tiles, position.stage), kTileStart(rightOperand, kTile), full);
          TileRing::Position next = ring.next(tiles, position);
          return {next.stage, next.parity};
        });
  }

  /// The producer with cp.async: all threads of the warp group.
  void copyAll() {
    OperandCopy copyLeft = makeCopy(leftOperand, left, warpGroupThreads);
    OperandCopy copyRight = makeCopy(rightOperand, right, warpGroupThreads);
    auto release = [&](Value stage, int64_t open) {
      awaitCopies(tiles, open);
      if (type == MatrixType::TF32) // wgmma would truncate
        for (OperandCopy *copy : {&copyLeft, &copyRight})
          copy->changeElements(stage, [&](Value element) { return roundToTf32(tiles, element); });
      ring.markFull(tiles, stage);
    };
    TileRing::Position first = ring.first(tiles);
    Values last = tiles.loop(tiles.constant(0), kTiles(), 1, {first.stage, first.parity, first.stage},
                             [&](Value kTile, ValueRange carried) -> Values {
                               TileRing::Position position{carried[0], carried[1]};
                               ring.awaitEmpty(tiles, position);
                               copyLeft.issue(position.stage, kTile);
                               copyRight.issue(position.stage, kTile);
                               commitCopies(tiles);
                               tiles.when(tiles.less(tiles.constant(0), kTile), [&] { release(carried[2], 1); });
                               TileRing::Position next = ring.next(tiles, position);
                               return {next.stage, next.parity, position.stage};
                             });
    // If the depth is empty there is no tile, and consumers may already write sums there.
    tiles.when(tiles.less(tiles.constant(0), kTiles()), [&] { release(last[2], 0); });
  }

  /// This thread's sums, for the slices of its group one after the other.
  Values multiplyAll() {
    Value zero = arith::ConstantOp::create(tiles.builder, tiles.location, tiles.builder.getF32FloatAttr(0));
    TileRing::Position first = ring.first(tiles);
    Values carried(slices * sliceSums, zero);
    carried.append({first.stage, first.parity, first.stage});
    Values last = tiles.loop(tiles.constant(0), kTiles(), 1, carried, [&](Value kTile, ValueRange before) {
      TileRing::Position position{before.end()[-3], before.end()[-2]};
      Value previous = before.back();
      ring.awaitFull(tiles, position);
      Values sums = multiply(position.stage, before.drop_back(3));
      Value isFirstLane = tiles.less(lane, tiles.constant(1));
      tiles.when(tiles.both(isFirstLane, tiles.less(tiles.constant(0), kTile)),
                 [&] { ring.markEmpty(tiles, previous); });
      TileRing::Position next = ring.next(tiles, position);
      sums.append({next.stage, next.parity, position.stage});
      return sums;
    });
    return awaitProducts(tiles, 0, ValueRange(last).drop_back(3));
  }

  /// Issues the products of a stage, and waits for those of the previous stage.
  Values multiply(Value stage, ValueRange before) {
    Value leftStage = left.stageOffset(tiles, stage), rightStage = right.stageOffset(tiles, stage);
    Values sums = beginProducts(tiles, before);
    for (int64_t k = 0; k < tiling.depth; k += productDepth(type))
      for (int64_t slice = 0; slice < slices; ++slice) {
        auto own = MutableArrayRef<Value>(sums).slice(slice * sliceSums, sliceSums);
        llvm::copy(multiplyAdd(tiles, type, sharedLeft.slice(tiles, leftStage, sliceRow(slice), k),
                               sharedRight.slice(tiles, rightStage, tiles.constant(0), k), ValueRange(own)),
                   own.begin());
      }
    commitProducts(tiles);
    return awaitProducts(tiles, 1, sums);
  }

  /// First row of a slice in the block: i32.
  Value sliceRow(int64_t slice) { return tiles.add(tiles.mul(group, slices * warpGroupRows), slice * warpGroupRows); }

  void store(ValueRange sums) {
    // Reuses the memory of the tiles: all copies have been awaited, and after the barrier all products.
    BlockMemory reused(tiles, frame.code);
    SharedTile target = sumsTile(reused);
    assert(reused.bytes() <= right.offset + right.stages * right.bytes() && "the ring's barriers stay as they are");
    syncThreads(tiles, productsBarrier, consumerThreads);
    Value warp = tiles.rem(tiles.div(thread, warpThreads), warpGroupThreads / warpThreads);
    for (int64_t slice = 0; slice < slices; ++slice)
      writeFragments(sums.slice(slice * sliceSums, sliceSums), tiling.columns / productColumns, target,
                     tiles.add(sliceRow(slice), tiles.mul(warp, productRows)), tiles.constant(0));
    syncThreads(tiles, productsBarrier, consumerThreads);
    storeResult(target, thread, consumerThreads);
  }

  const std::optional<TensorMaps> &maps;
  const MatrixType type;
  const int64_t consumerThreads;   ///< threads of all consumers
  const int64_t slices, sliceSums; ///< 64-row slices of a group; sums of a thread in a slice
  SharedOperand sharedLeft, sharedRight;
  TileRing ring;
  Value group, lane; ///< i32, of a consumer thread
};

} // namespace

std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps) {
  return std::make_unique<WarpGroupBlock>(problem, tiling, frame, maps);
}

Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps) {
  if (!tiling.prefersMaps)
    return Verdict::no("a product below 2^34 operations is too short to gain from them");
  SmallVector<MappedTensor> tensors;
  for (auto [side, outer] :
       {std::pair(GemmOperand::Side::Left, tiling.rows), std::pair(GemmOperand::Side::Right, tiling.columns)}) {
    GemmOperand operand(problem, side);
    auto tensor = operand.mapped(tiling.panelRowBytes / operand.elementBytes(),
                                 operand.inner() == LoopGroup::Depth ? outer : tiling.depth);
    if (!tensor)
      return Verdict::no("the rows of an operand do not have one stride, so its tiles are not boxes");
    tensors.push_back(*tensor);
  }
  maps.emplace(tensors);
  return Verdict::yes();
}

} // namespace attnc
