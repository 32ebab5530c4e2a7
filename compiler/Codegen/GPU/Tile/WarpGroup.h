//===- WarpGroup.h - four warps that do one thing -----------------------------------------------------------------===//
//
// Four warps beside each other multiply matrices together (WarpGroupProduct.h). The groups of a block have different
// work: some fetch tiles, others compute. For devices of sm_90a alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

inline constexpr int64_t warpGroupThreads = 4 * warpThreads;

/// Until `threads` threads, whole warps, have come to barrier `number`, one of 1 to 15; waitForBlock has number 0.
void waitForThreads(TileBuilder &tiles, int64_t number, int64_t threads);

/// Two warp groups that take turns, so that one multiplies while the other does something else:
///
///   turns.open()
///   for each of as many turns of both:  turns.take(); begin products; turns.pass(isLast)
///
/// With two barriers of those of waitForThreads: at one's barrier it waits, and the other arrives without waiting.
class WarpGroupTurns {
public:
  /// `group` (i32) is 0, who is first, or 1.
  WarpGroupTurns(TileBuilder &tiles, mlir::Value group, int64_t firstBarrier);
  void open();
  void take();
  void pass(mlir::Value isLast); ///< i1: this group takes none any more, nor does the other after its own

private:
  void arrive(mlir::Value barrier);
  TileBuilder &tiles;
  mlir::Value isFirst, own, other;
};

/// A group that computes takes registers that one which copies gives away: multiples of 8 a thread. What all threads of
/// a block have together stays below 64 Ki.
void giveRegisters(TileBuilder &tiles, int64_t keeps);
void takeRegisters(TileBuilder &tiles, int64_t has);

} // namespace attnc
