#include "compiler/Codegen/CPU/Gemm/CopyRows.h"

using namespace mlir;

namespace attnc {

void emitCopyRows(FlatBuilder &code, const CopiedRows &rows, Value tiles, llvm::function_ref<Value(Value)> first,
                  llvm::function_ref<Value(Value)> height) {
  Value zero = code.constant(0);
  code.loop(zero, tiles, 1, [&](Value tile) {
    Value from = code.add(rows.offset, first(tile)), count = height(tile);
    Value to = code.mul(tile, rows.longest * rows.width);
    FlatBuilder::Values masks;
    for (int64_t lane = 0; lane < rows.width; lane += code.lanes)
      masks.push_back(code.laneMask(code.sub(count, code.constant(lane))));
    code.loop(zero, rows.depth, 1, [&](Value k) {
      Value read = code.add(from, code.mul(k, rows.step)), written = code.add(to, code.mul(k, rows.width));
      for (auto [i, mask] : llvm::enumerate(masks)) {
        Value vector = code.load(rows.source, code.add(read, i * code.lanes), mask);
        code.store(vector, rows.copied, code.add(written, i * code.lanes), mask);
      }
    });
  });
}

} // namespace attnc
