#include "compiler/Codegen/GPU/Gemm/MultistageBlock.h"

using namespace mlir;

namespace attnc {

GemmBlock::Values MultistageBlock::multiplyAll() {
  OperandCopy copyLeft = makeCopy(leftOperand, left, tiling.threads);
  OperandCopy copyRight = makeCopy(rightOperand, right, tiling.threads);
  Value kTiles = this->kTiles();
  auto copy = [&](Value stage, Value kTile) {
    tiles.when(tiles.less(kTile, kTiles), [&] {
      copyLeft.issue(stage, kTile);
      copyRight.issue(stage, kTile);
    });
    commitCopies(tiles);
  };
  for (int64_t each = 0; each + 1 < tiling.stages; ++each)
    copy(tiles.constant(each), tiles.constant(each));
  auto next = [&](Value stage) {
    Value following = tiles.add(stage, 1);
    return tiles.choose(tiles.less(following, tiles.constant(tiling.stages)), following, tiles.constant(0));
  };
  Values carried = zeroSums();
  carried.append({tiles.constant(0), tiles.constant(tiling.stages - 1)});
  Values last = tiles.loop(tiles.constant(0), kTiles, 1, carried, [&](Value kTile, ValueRange before) {
    Value reads = before[before.size() - 2], writes = before.back();
    awaitCopies(tiles, tiling.stages - 2);
    tiles.syncBlock();
    copy(writes, tiles.add(kTile, tiling.stages - 1));
    Values after = multiply(left.stageOffset(tiles, reads), right.stageOffset(tiles, reads), before.drop_back(2));
    after.append({next(reads), next(writes)});
    return after;
  });
  last.pop_back_n(2);
  return last;
}

int64_t MultistageBlock::emit() {
  Values sums = multiplyAll();
  // Reuses the memory of the tiles, which are no longer read after the barrier.
  BlockMemory reused(tiles, frame.code);
  SharedTile target = sumsTile(reused);
  tiles.syncBlock();
  writeSums(sums, target);
  tiles.syncBlock();
  storeResult(target, thread, tiling.threads);
  return std::max(memory.bytes(), reused.bytes());
}

} // namespace attnc
