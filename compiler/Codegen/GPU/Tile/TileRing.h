//===- TileRing.h - ring buffer of pipeline stages between producers and consumers (mbarrier) ---------------------===//
//
// Producers are the warps that copy tiles, consumers the warps that compute with them. Each stage of a SharedTile is a
// buffer of the ring, and has two mbarriers in shared memory, "full" and "empty". Producers arrive at "full", consumers
// at "empty"; an arrival does not block. Each side waits for the other's barrier:
//
//   producers                                      consumers
//     for each tile:                                 for each tile:
//       awaitEmpty(position)                           awaitFull(position)
//       copy the tile to the stage                     compute
//       markFull(stage)                                markEmpty(stage)
//       position = next(position)                      position = next(position)
//
// A thread may mark a stage several tiles later, after it has copied or read further tiles. If producers mark f tiles
// late and consumers e tiles late, the ring needs at least f + e + 1 stages.
//
// An mbarrier counts phases of its own. A wait names the parity of a phase. A round is one pass over all stages; the
// parity alternates from round to round. In the first round all stages are empty: the mbarrier's phase before the first
// counts as complete.
//
// wgmma reads shared memory through the async proxy, and sees writes and copies of threads only after a proxy fence;
// markFull contains this fence.
//
// With TMA (TensorMap.h) one elected thread is the producer. It announces the bytes of a stage, and the stage is full
// when the bytes have arrived. The producer neither waits for its copies nor executes a fence:
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

/// The barriers of a ring buffer, without its tiles. The functions below emit code for the executing thread. A `stage`
/// is the number of a stage (i32).
class TileRing {
public:
  /// Allocates the barriers. A stage is full after `producers` arrivals, and empty after `consumers` arrivals: the
  /// numbers of threads that execute markFull and markEmpty for each tile.
  TileRing(BlockMemory &memory, int64_t stages, int64_t producers, int64_t consumers);
  /// For TMA: one producer thread, whose copies count bytes.
  static TileRing forBulkCopies(BlockMemory &memory, int64_t stages, int64_t consumers);

  const int64_t stages;

  /// Thread 0 initialises the barriers, of one or several rings; a block barrier follows, so all threads of the block
  /// execute the code, before all other functions. `thread` (i32) is the thread's number in the block.
  void open(TileBuilder &tiles, mlir::Value thread) const { open(tiles, thread, {this}); }
  static void open(TileBuilder &tiles, mlir::Value thread, llvm::ArrayRef<const TileRing *> rings);

  /// A place in the sequence of tiles: the number of a stage, and the number of complete rounds before it, mod 2 (both
  /// i32). Each thread has its own position, which it carries from tile to tile.
  struct Position {
    mlir::Value stage, parity;
  };
  Position first(TileBuilder &tiles) const; ///< stage 0 of the first round
  Position next(TileBuilder &tiles, const Position &position) const;

  /// Block until the stage is empty, or full, in the round of `position`.
  void awaitEmpty(TileBuilder &tiles, const Position &position) const;
  void awaitFull(TileBuilder &tiles, const Position &position) const;
  /// A producer's arrival at "full". It makes visible all writes of this thread to the stage, and all copies of this
  /// thread that it has awaited. Not for TMA.
  void markFull(TileBuilder &tiles, mlir::Value stage) const;
  /// The same, given the barrier (!llvm.ptr<3>) of a stage of any ring: full(stage).
  static void markFullAt(TileBuilder &tiles, mlir::Value barrier);
  /// For TMA only: the producer's arrival at "full", which announces the `bytes` of all copies to the stage that
  /// follow.
  void expect(TileBuilder &tiles, mlir::Value stage, int64_t bytes) const;
  /// The "full" barrier of a stage: !llvm.ptr<3>.
  mlir::Value full(TileBuilder &tiles, mlir::Value stage) const { return barrier(tiles, fullAt, stage); }
  /// A consumer's arrival at "empty", after its last read of the stage.
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
