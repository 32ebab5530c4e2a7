#include "compiler/Codegen/GPU/Tile/WarpGroup.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

void waitForThreads(TileBuilder &tiles, int64_t number, int64_t threads) {
  NVVM::BarrierOp::create(tiles.builder, tiles.location, TypeRange(), tiles.number(number), tiles.number(threads),
                          nullptr, Value());
}

void giveRegisters(TileBuilder &tiles, int64_t keeps) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, keeps, NVVM::SetMaxRegisterAction::decrease);
}

void takeRegisters(TileBuilder &tiles, int64_t has) {
  NVVM::SetMaxRegisterOp::create(tiles.builder, tiles.location, has, NVVM::SetMaxRegisterAction::increase);
}

} // namespace attnc
