// The form for sm_90a: one warp group fills a ring of stages with tiles, and the others multiply them there (wgmma),
// each some rows of the block, in parts of 64. One thread of that group has the hardware copy them where it can; else
// all threads do, and give a stage away when the next one's copies are on their way. Who multiplies gives it away when
// the next one's products are.
#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"
#include <cassert>

using namespace mlir;

namespace attnc {

namespace {

/// The barrier of the threads that multiply.
constexpr int64_t productsBarrier = 1;

class WarpGroupBlock : public GemmBlock {
public:
  WarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame,
                 const std::optional<TensorMaps> &maps)
      : GemmBlock(problem, tiling, frame), maps(maps), type(*tiling.matrix),
        multipliers(tiling.groups * warpGroupThreads), parts(tiling.rows / tiling.groups / warpGroupRows),
        sumsOfPart(tiling.columns / 2), sharedLeft(left, type, !rowsAreDepth(leftOperand)),
        sharedRight(right, type, !rowsAreDepth(rightOperand)),
        ring(maps ? TileRing::ofCountedBytes(memory, tiling.stages, multipliers / warpThreads)
                  : TileRing(memory, tiling.stages, warpGroupThreads, multipliers / warpThreads)) {}

  int64_t emit() override {
    ring.open(tiles, thread);
    Value copies = tiles.less(thread, tiles.number(maps ? 1 : warpGroupThreads));
    tiles.when(copies, [&] { maps ? fetchAll() : copyAll(); });
    tiles.when(tiles.less(tiles.number(warpGroupThreads - 1), thread), [&] {
      thread = tiles.sub(thread, tiles.number(warpGroupThreads));
      group = tiles.div(thread, warpGroupThreads);
      lane = tiles.rem(thread, warpThreads);
      store(multiplyAll());
    });
    return memory.bytes();
  }

private:
  /// By the hardware.
  void fetchAll() {
    TensorMap leftMap = maps->acquire(tiles, frame, 0), rightMap = maps->acquire(tiles, frame, 1);
    TileRing::Place first = ring.first(tiles);
    tiles.loop(tiles.number(0), steps(), 1, {first.stage, first.parity}, [&](Value step, ValueRange carried) -> Values {
      TileRing::Place place{carried[0], carried[1]};
      ring.awaitEmpty(tiles, place);
      ring.expect(tiles, place.stage, left.bytes() + right.bytes());
      Value full = ring.full(tiles, place.stage);
      leftMap.copy(tiles, left, left.stage(tiles, place.stage), startOf(leftOperand, step), full);
      rightMap.copy(tiles, right, right.stage(tiles, place.stage), startOf(rightOperand, step), full);
      TileRing::Place next = ring.next(tiles, place);
      return {next.stage, next.parity};
    });
  }

  /// By threads.
  void copyAll() {
    OperandCopy copyLeft = copyOf(leftOperand, left, warpGroupThreads);
    OperandCopy copyRight = copyOf(rightOperand, right, warpGroupThreads);
    auto give = [&](Value stage, int64_t open) {
      awaitCopies(tiles, open);
      if (type == MatrixType::TF32) // which wgmma would cut off
        for (OperandCopy *copy : {&copyLeft, &copyRight})
          copy->changeWords(stage, [&](Value word) { return roundToTf32(tiles, word); });
      ring.markFull(tiles, stage);
    };
    TileRing::Place first = ring.first(tiles);
    Values last = tiles.loop(tiles.number(0), steps(), 1, {first.stage, first.parity, first.stage},
                             [&](Value step, ValueRange carried) -> Values {
                               TileRing::Place place{carried[0], carried[1]};
                               ring.awaitEmpty(tiles, place);
                               copyLeft.issue(place.stage, step);
                               copyRight.issue(place.stage, step);
                               closeCopies(tiles);
                               tiles.when(tiles.less(tiles.number(0), step), [&] { give(carried[2], 1); });
                               TileRing::Place next = ring.next(tiles, place);
                               return {next.stage, next.parity, place.stage};
                             });
    // Without a step there is no tile, and sums may lie there already.
    tiles.when(tiles.less(tiles.number(0), steps()), [&] { give(last[2], 0); });
  }

  /// Of this thread: of its group's parts, one after the other.
  Values multiplyAll() {
    Value zero = arith::ConstantOp::create(tiles.builder, tiles.location, tiles.builder.getF32FloatAttr(0));
    TileRing::Place first = ring.first(tiles);
    Values carried(parts * sumsOfPart, zero);
    carried.append({first.stage, first.parity, first.stage});
    Values last = tiles.loop(tiles.number(0), steps(), 1, carried, [&](Value step, ValueRange before) {
      TileRing::Place place{before.end()[-3], before.end()[-2]};
      Value previous = before.back();
      ring.awaitFull(tiles, place);
      Values sums = multiply(place.stage, before.drop_back(3));
      Value isFirstLane = tiles.less(lane, tiles.number(1));
      tiles.when(tiles.both(isFirstLane, tiles.less(tiles.number(0), step)), [&] { ring.markEmpty(tiles, previous); });
      TileRing::Place next = ring.next(tiles, place);
      sums.append({next.stage, next.parity, place.stage});
      return sums;
    });
    return awaitProducts(tiles, 0, ValueRange(last).drop_back(3));
  }

  /// Begins the products of a stage, and waits for those of the stage before.
  Values multiply(Value stage, ValueRange before) {
    Value leftStage = left.stage(tiles, stage), rightStage = right.stage(tiles, stage);
    Values sums = beginProducts(tiles, before);
    for (int64_t k = 0; k < tiling.depth; k += productDepth(type))
      for (int64_t part = 0; part < parts; ++part) {
        auto own = MutableArrayRef<Value>(sums).slice(part * sumsOfPart, sumsOfPart);
        llvm::copy(multiplyAdd(tiles, type, sharedLeft.part(tiles, leftStage, firstRowOf(part), k),
                               sharedRight.part(tiles, rightStage, tiles.number(0), k), ValueRange(own)),
                   own.begin());
      }
    closeProducts(tiles);
    return awaitProducts(tiles, 1, sums);
  }

  /// In the block: i32.
  Value firstRowOf(int64_t part) { return tiles.add(tiles.mul(group, parts * warpGroupRows), part * warpGroupRows); }

  void store(ValueRange sums) {
    // In place of the tiles: all copies have been awaited, and behind the barrier all products.
    BlockMemory again(tiles, frame.code);
    SharedTile target = sumsIn(again);
    assert(again.bytes() <= right.offset + right.stages * right.bytes() && "the ring's barriers stay as they are");
    waitForThreads(tiles, productsBarrier, multipliers);
    Value warp = tiles.rem(tiles.div(thread, warpThreads), warpGroupThreads / warpThreads);
    for (int64_t part = 0; part < parts; ++part)
      writeFragments(sums.slice(part * sumsOfPart, sumsOfPart), tiling.columns / productColumns, target,
                     tiles.add(firstRowOf(part), tiles.mul(warp, productRows)), tiles.number(0));
    waitForThreads(tiles, productsBarrier, multipliers);
    storeResult(target, thread, multipliers);
  }

  const std::optional<TensorMaps> &maps;
  const MatrixType type;
  const int64_t multipliers;       ///< threads
  const int64_t parts, sumsOfPart; ///< of a group, 64 rows each; of a thread
  SharedOperand sharedLeft, sharedRight;
  TileRing ring;
  Value group, lane; ///< i32, of a thread that multiplies
};

} // namespace

std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps) {
  return std::make_unique<WarpGroupBlock>(problem, tiling, frame, maps);
}

Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps) {
  if (!tiling.prefersMaps)
    return Verdict::no("a product below 2^34 operations ends before they pay");
  SmallVector<MappedTensor> tensors;
  for (auto [side, outer] :
       {std::pair(GemmOperand::Side::Left, tiling.rows), std::pair(GemmOperand::Side::Right, tiling.columns)}) {
    GemmOperand operand(problem, side);
    auto tensor = operand.mapped(tiling.panelRowBytes / operand.elementBytes(),
                                 operand.inner() == LoopGroup::Depth ? outer : tiling.depth);
    if (!tensor)
      return Verdict::no("the rows of an operand are not at one stride, so that its tiles are no boxes");
    tensors.push_back(*tensor);
  }
  maps.emplace(tensors);
  return Verdict::yes();
}

} // namespace attnc
