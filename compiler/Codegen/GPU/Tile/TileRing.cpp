#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cassert>

using namespace mlir;

namespace attnc {

static constexpr int64_t barrierBytes = 8;

TileRing::TileRing(BlockMemory &memory, int64_t stages, int64_t producers, int64_t consumers)
    : stages(stages), producers(producers), consumers(consumers), base(memory.base),
      fullAt(memory.allocate(2 * stages * barrierBytes)), emptyAt(fullAt + stages * barrierBytes) {}

TileRing TileRing::forBulkCopies(BlockMemory &memory, int64_t stages, int64_t consumers) {
  TileRing ring(memory, stages, /*producers=*/1, consumers);
  ring.countsBytes = true;
  return ring;
}

Value TileRing::barrier(TileBuilder &tiles, int64_t first, Value stage) const {
  return tiles.at(base, tiles.add(tiles.mul(stage, barrierBytes), first));
}

/// Proxy fence: makes this thread's writes and copies to shared memory visible to TMA and wgmma.
static void fenceShared(TileBuilder &tiles) {
  MLIRContext *context = tiles.builder.getContext();
  NVVM::FenceProxyOp::create(tiles.builder, tiles.location,
                             NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

void TileRing::initBarriers(TileBuilder &tiles) const {
  for (int64_t stage = 0; stage < stages; ++stage)
    for (auto [first, arrivals] : {std::pair(fullAt, producers), std::pair(emptyAt, consumers)})
      NVVM::MBarrierInitOp::create(tiles.builder, tiles.location, barrier(tiles, first, tiles.constant(stage)),
                                   tiles.constant(arrivals), Value());
}

void TileRing::open(TileBuilder &tiles, Value thread, ArrayRef<const TileRing *> rings) {
  tiles.when(tiles.less(thread, tiles.constant(1)), [&] {
    for (const TileRing *ring : rings)
      ring->initBarriers(tiles);
    if (llvm::any_of(rings, [](const TileRing *ring) { return ring->countsBytes; }))
      fenceShared(tiles);
  });
  tiles.syncBlock();
}

TileRing::Position TileRing::first(TileBuilder &tiles) const { return {tiles.constant(0), tiles.constant(0)}; }

TileRing::Position TileRing::next(TileBuilder &tiles, const Position &position) const {
  Value following = tiles.add(position.stage, 1);
  Value isInRound = tiles.less(following, tiles.constant(stages));
  return {tiles.choose(isInRound, following, tiles.constant(0)),
          tiles.choose(isInRound, position.parity, tiles.exclusiveOr(position.parity, 1))};
}

void TileRing::await(TileBuilder &tiles, Value barrier, Value parity) const {
  OpBuilder &b = tiles.builder;
  auto loop = scf::WhileOp::create(b, tiles.location, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value isOver = NVVM::MBarrierTryWaitOp::create(b, tiles.location, b.getI1Type(), barrier, parity, Value());
  Value isOpen =
      arith::XOrIOp::create(b, tiles.location, isOver, arith::ConstantIntOp::create(b, tiles.location, 1, /*width=*/1));
  scf::ConditionOp::create(b, tiles.location, isOpen, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, tiles.location);
}

void TileRing::awaitEmpty(TileBuilder &tiles, const Position &position) const {
  await(tiles, barrier(tiles, emptyAt, position.stage), tiles.exclusiveOr(position.parity, 1));
}

void TileRing::awaitFull(TileBuilder &tiles, const Position &position) const {
  await(tiles, barrier(tiles, fullAt, position.stage), position.parity);
}

void TileRing::markFull(TileBuilder &tiles, Value stage) const {
  assert(!countsBytes);
  markFullAt(tiles, full(tiles, stage));
}

void TileRing::markFullAt(TileBuilder &tiles, Value barrier) {
  fenceShared(tiles);
  NVVM::MBarrierArriveOp::create(tiles.builder, tiles.location, Type(), barrier, Value());
}

void TileRing::expect(TileBuilder &tiles, Value stage, int64_t bytes) const {
  assert(countsBytes);
  NVVM::MBarrierArriveExpectTxOp::create(tiles.builder, tiles.location, Type(), full(tiles, stage),
                                         tiles.constant(bytes), NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void TileRing::markEmpty(TileBuilder &tiles, Value stage) const {
  NVVM::MBarrierArriveOp::create(tiles.builder, tiles.location, Type(), barrier(tiles, emptyAt, stage), Value());
}

} // namespace attnc
