#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

using namespace mlir;

namespace attnc {

void TileAccess::forEachVector(function_ref<void(Value)> body) const {
  loops.loop(loops.constant(0), loops.constant(schedule.tileQ()), loops.constant(schedule.lanes), body);
}

void TileAccess::transposeLines(Value memref, Value count, function_ref<SmallVector<Values>(Value)> coordinatesAt,
                                function_ref<void(Value, ValueRange)> use) const {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  bool isFlag = cast<MemRefType>(memref.getType()).getElementType().isInteger(8);
  Value whole = isFlag ? zero : loops.mul(loops.div(count, lanes), schedule.lanes);
  if (!isFlag)
    loops.loop(zero, whole, lanes,
               [&](Value first) { use(first, loops.loadTransposed(memref, coordinatesAt(first))); });
  loops.loop(whole, count, lanes, [&](Value first) {
    Values lines;
    for (const Values &line : coordinatesAt(first)) {
      Value elements = loops.loadFirst(loops.sub(count, first), memref, line);
      lines.push_back(isFlag ? loops.widen(elements) : elements);
    }
    use(first, loops.transpose(lines));
  });
}

} // namespace attnc
