#include "compiler/Codegen/GPU/Tile/WarpGroup.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

static void syncThreads(TileBuilder &tiles, Value number, int64_t threads) {
  NVVM::BarrierOp::create(tiles.builder, tiles.location, TypeRange(), number, tiles.constant(threads), nullptr,
                          Value());
}

void syncThreads(TileBuilder &tiles, int64_t number, int64_t threads) {
  syncThreads(tiles, tiles.constant(number), threads);
}

OrderedBarrier::OrderedBarrier(TileBuilder &tiles, Value group, int64_t firstBarrier)
    : tiles(tiles), isFirst(tiles.less(group, tiles.constant(1))), own(tiles.add(group, firstBarrier)),
      other(tiles.sub(tiles.constant(2 * firstBarrier + 1), own)) {}

void OrderedBarrier::arrive(Value barrier) {
  LLVM::CallIntrinsicOp::create(tiles.builder, tiles.location,
                                tiles.builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
                                ValueRange{barrier, tiles.constant(2 * warpGroupThreads)});
}

void OrderedBarrier::open() {
  tiles.when(tiles.opposite(isFirst), [&] { arrive(other); });
}

void OrderedBarrier::wait() { syncThreads(tiles, own, 2 * warpGroupThreads); }

void OrderedBarrier::release(Value isLast) {
  Value isAwaited = tiles.either(isFirst, tiles.opposite(isLast));
  tiles.when(isAwaited, [&] { arrive(other); });
}

void decreaseRegisters(TileBuilder &tiles, int64_t perThread) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, perThread, NVVM::SetMaxRegisterAction::decrease);
}

void increaseRegisters(TileBuilder &tiles, int64_t perThread) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, perThread, NVVM::SetMaxRegisterAction::increase);
}

} // namespace attnc
