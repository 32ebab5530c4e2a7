#include "compiler/Codegen/GPU/Gemm/InStepBlock.h"

using namespace mlir;

namespace attnc {

GemmBlock::Values InStepBlock::multiplyAll() {
  OperandCopy copyLeft = copyOf(leftOperand, left, tiling.threads);
  OperandCopy copyRight = copyOf(rightOperand, right, tiling.threads);
  Value steps = this->steps();
  auto copy = [&](Value stage, Value step) {
    tiles.when(tiles.less(step, steps), [&] {
      copyLeft.issue(stage, step);
      copyRight.issue(stage, step);
    });
    closeCopies(tiles);
  };
  for (int64_t each = 0; each + 1 < tiling.stages; ++each)
    copy(tiles.number(each), tiles.number(each));
  auto next = [&](Value stage) {
    Value following = tiles.add(stage, 1);
    return tiles.select(tiles.less(following, tiles.number(tiling.stages)), following, tiles.number(0));
  };
  Values carried = zeroSums();
  carried.append({tiles.number(0), tiles.number(tiling.stages - 1)});
  Values last = tiles.loop(tiles.number(0), steps, 1, carried, [&](Value step, ValueRange before) {
    Value reads = before[before.size() - 2], writes = before.back();
    awaitCopies(tiles, tiling.stages - 2);
    tiles.waitForBlock();
    copy(writes, tiles.add(step, tiling.stages - 1));
    Values after = multiply(left.stage(tiles, reads), right.stage(tiles, reads), before.drop_back(2));
    after.append({next(reads), next(writes)});
    return after;
  });
  last.pop_back_n(2);
  return last;
}

int64_t InStepBlock::emit() {
  Values sums = multiplyAll();
  // In place of the tiles, which nobody reads any more.
  BlockMemory again(tiles, frame.code);
  SharedTile target = sumsIn(again);
  tiles.waitForBlock();
  writeSums(sums, target);
  tiles.waitForBlock();
  storeResult(target, thread, tiling.threads);
  return std::max(memory.bytes(), again.bytes());
}

} // namespace attnc
