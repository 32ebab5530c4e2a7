//===- TileRing.h - ring buffer of pipeline stages between producers and consumers (mbarrier) ---------------------===//
//
// Each stage of a SharedTile has two mbarriers in shared memory, "full" and "empty". Producers arrive at "full",
// consumers at "empty"; arriving does not block. Each side waits for the other's barrier:
//
//   producers                                      consumers
//     for each tile:                                 for each tile:
//       awaitEmpty(position)                           awaitFull(position)
//       copy the tile to the stage                     compute
//       markFull(stage)                                markEmpty(stage)
//       position = next(position)                      position = next(position)
//
// A thread may mark a stage several tiles later, if there are enough stages: at least f + e + 1, where producers mark
// f tiles late and consumers e tiles late.
//
// An mbarrier counts phases. A wait names the parity of a phase, which alternates from round to round. In the first
// round all stages are empty: the phase before the first counts as complete.
//
// wgmma reads shared memory through the async proxy, and sees writes and copies of threads only after a proxy fence;
// markFull contains it.
//
// With TMA (TensorMap.h) one elected thread is the producer. It announces the bytes of a stage, and the stage is full
// when they have arrived. No tile is in flight at the producer then, and no fence is needed:
//
//   for each tile:
//     awaitEmpty(position)
//     expect(stage, bytes)
//     copies that count at full(stage)
//     position = next(position)
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/BlockMemory.h"

namespace attnc {

/// The barriers of a ring buffer, without its tiles. The functions below emit code for the executing thread; stages and
/// parities are i32.
class TileRing {
public:
  /// Allocates the barriers. A stage is full after `producers` arrivals, and empty after `consumers` arrivals.
  TileRing(BlockMemory &memory, int64_t stages, int64_t producers, int64_t consumers);
  /// For TMA: one producer thread, whose copies count bytes.
  static TileRing forBulkCopies(BlockMemory &memory, int64_t stages, int64_t consumers);

  const int64_t stages;

  /// Thread 0 initialises the barriers, of one or several rings; a block barrier follows. `thread` (i32) is the
  /// thread's number in the block.
  void open(TileBuilder &tiles, mlir::Value thread) const { open(tiles, thread, {this}); }
  static void open(TileBuilder &tiles, mlir::Value thread, llvm::ArrayRef<const TileRing *> rings);

  /// A stage, and the parity of the number of rounds before it; a round is one pass over all stages.
  struct Position {
    mlir::Value stage, parity;
  };
  Position first(TileBuilder &tiles) const;
  Position next(TileBuilder &tiles, const Position &position) const;

  /// Block until the stage is empty, or full, in the round of `position`.
  void awaitEmpty(TileBuilder &tiles, const Position &position) const;
  void awaitFull(TileBuilder &tiles, const Position &position) const;
  /// A producer's arrival at "full", which covers all writes of this thread to the stage and all copies that it has
  /// awaited. Not for TMA.
  void markFull(TileBuilder &tiles, mlir::Value stage) const;
  /// The same, given the barrier of a stage of any ring: full(stage).
  static void markFullAt(TileBuilder &tiles, mlir::Value barrier);
  /// With TMA, the producer's arrival, which announces the `bytes` of the copies that follow.
  void expect(TileBuilder &tiles, mlir::Value stage, int64_t bytes) const;
  /// The "full" barrier of a stage: !llvm.ptr<3>.
  mlir::Value full(TileBuilder &tiles, mlir::Value stage) const { return barrier(tiles, fullAt, stage); }
  /// A consumer's arrival at "empty".
  void markEmpty(TileBuilder &tiles, mlir::Value stage) const;

private:
  void initBarriers(TileBuilder &tiles) const;
  mlir::Value barrier(TileBuilder &tiles, int64_t first, mlir::Value stage) const;
  void await(TileBuilder &tiles, mlir::Value barrier, mlir::Value parity) const;

  int64_t producers, consumers;
  bool countsBytes = false;
  mlir::Value base;        ///< !llvm.ptr<3>
  int64_t fullAt, emptyAt; ///< byte offsets from `base`
};

} // namespace attnc
