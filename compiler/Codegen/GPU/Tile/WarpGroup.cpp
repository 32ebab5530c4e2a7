#include "compiler/Codegen/GPU/Tile/WarpGroup.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

static void waitForThreads(TileBuilder &tiles, Value number, int64_t threads) {
  NVVM::BarrierOp::create(tiles.builder, tiles.location, TypeRange(), number, tiles.number(threads), nullptr, Value());
}

void waitForThreads(TileBuilder &tiles, int64_t number, int64_t threads) {
  waitForThreads(tiles, tiles.number(number), threads);
}

WarpGroupTurns::WarpGroupTurns(TileBuilder &tiles, Value group, int64_t firstBarrier)
    : tiles(tiles), isFirst(tiles.less(group, tiles.number(1))), own(tiles.add(group, firstBarrier)),
      other(tiles.sub(tiles.number(2 * firstBarrier + 1), own)) {}

void WarpGroupTurns::arrive(Value barrier) {
  LLVM::CallIntrinsicOp::create(tiles.builder, tiles.location,
                                tiles.builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
                                ValueRange{barrier, tiles.number(2 * warpGroupThreads)});
}

void WarpGroupTurns::open() {
  tiles.when(tiles.opposite(isFirst), [&] { arrive(other); });
}

void WarpGroupTurns::take() { waitForThreads(tiles, own, 2 * warpGroupThreads); }

void WarpGroupTurns::pass(Value isLast) {
  Value isAwaited = tiles.either(isFirst, tiles.opposite(isLast));
  tiles.when(isAwaited, [&] { arrive(other); });
}

void giveRegisters(TileBuilder &tiles, int64_t keeps) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, keeps, NVVM::SetMaxRegisterAction::decrease);
}

void takeRegisters(TileBuilder &tiles, int64_t has) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, has, NVVM::SetMaxRegisterAction::increase);
}

} // namespace attnc
