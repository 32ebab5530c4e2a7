//===- TileRing.h - stages that some threads fill and others empty ------------------------------------------------===//
//
// Each stage of a SharedTile has two barriers in a block's memory (`mbarrier`), at which threads arrive without
// waiting, and for which others wait without arriving: "it is full", at which those arrive that fill it, and "it is
// empty".
//
//   who fills                                      who empties
//     for each tile:                                 for each tile:
//       awaitEmpty(place)                              awaitFull(place)
//       copy the tile to the stage                     compute
//       markFull(place)                                markEmpty(place)
//       place = next(place)                            place = next(place)
//
// Who marks a stage only some tiles later needs as many stages more: with f tiles under way on one side and e on the
// other, there have to be at least f + e + 1.
//
// A barrier counts phases; a wait is for one with a given parity, which changes from round to round. In the first round
// all stages are empty: the phase before the first counts as over.
//
// What reads the stages by itself (wgmma) doesn't see what threads wrote or copied there, unless these have fenced it
// off in between: markFull does.
//
// Where the hardware copies tiles by itself (TensorMap.h), one thread fills: it says how many bytes will come, and the
// stage is full when they have. There is nothing under way on its side then, and nothing to fence:
//
//   for each tile:
//     awaitEmpty(place)
//     expect(place, bytes)
//     copies that count at full(place)
//     place = next(place)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/BlockMemory.h"

namespace attnc {

class TileRing {
public:
  /// So many arrivals make a stage full, and empty.
  TileRing(BlockMemory &memory, int64_t stages, int64_t fillers, int64_t emptiers);
  /// One thread fills stages, by copies that count bytes.
  static TileRing ofCountedBytes(BlockMemory &memory, int64_t stages, int64_t emptiers);

  const int64_t stages;

  /// Thread 0 makes the barriers, and the block waits for it.
  void open(TileBuilder &tiles, mlir::Value thread) const { open(tiles, thread, {this}); }
  static void open(TileBuilder &tiles, mlir::Value thread, llvm::ArrayRef<const TileRing *> rings);

  /// A stage, and the parity of the round: i32.
  struct Place {
    mlir::Value stage, parity;
  };
  Place first(TileBuilder &tiles) const;
  Place next(TileBuilder &tiles, const Place &place) const;

  void awaitEmpty(TileBuilder &tiles, const Place &place) const;
  void awaitFull(TileBuilder &tiles, const Place &place) const;
  /// One arrival, for all that this thread has written to the stage and copies that it has awaited.
  void markFull(TileBuilder &tiles, mlir::Value stage) const;
  /// The same at the barrier of some stage of a ring: full(stage).
  static void markFullAt(TileBuilder &tiles, mlir::Value barrier);
  /// The one arrival, which so many bytes have to follow.
  void expect(TileBuilder &tiles, mlir::Value stage, int64_t bytes) const;
  /// The barrier of a stage: !llvm.ptr<3>.
  mlir::Value full(TileBuilder &tiles, mlir::Value stage) const { return barrier(tiles, fullAt, stage); }
  /// One arrival.
  void markEmpty(TileBuilder &tiles, mlir::Value stage) const;

private:
  void makeBarriers(TileBuilder &tiles) const;
  mlir::Value barrier(TileBuilder &tiles, int64_t first, mlir::Value stage) const;
  void await(TileBuilder &tiles, mlir::Value barrier, mlir::Value parity) const;

  int64_t fillers, emptiers;
  bool countsBytes = false;
  mlir::Value base;        ///< !llvm.ptr<3>
  int64_t fullAt, emptyAt; ///< bytes behind `base`
};

} // namespace attnc
