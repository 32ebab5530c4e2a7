//===- WarpGroup.h - synchronisation and registers of warp groups (sm_90a) ----------------------------------------===//
//
// A warp group is four consecutive warps that issue `wgmma` together (WarpGroupProduct.h). The warp groups of a block
// are specialised: producers copy tiles to shared memory, and consumers compute with the tiles. The functions emit code
// for the executing thread.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

inline constexpr int64_t warpGroupThreads = 4 * warpThreads;

/// Emits an arrival and wait at the named barrier `number` of the block (bar.sync), 1 to 15, until `threads` threads
/// (whole warps) have arrived. TileBuilder::syncBlock uses number 0.
void syncThreads(TileBuilder &tiles, int64_t number, int64_t threads);

/// Ordered barrier of two consumer warp groups, which alternate: only one of them at a time is between wait() and
/// release(), where it issues its matrix products; meanwhile the other group computes something else.
///
///   both groups, once:                       order.open()
///   each group, once for each of its tiles:  order.wait(); issue products; order.release(isLast)
///
/// Each group has a named barrier. `wait` blocks at the group's own barrier; `release` arrives at the barrier of the
/// other group without blocking. In `open`, group 1 arrives at the barrier of group 0, which therefore goes first. Both
/// groups must have the same number of tiles, at least one. Group 0 executes its last wait before group 1, so no wait
/// follows the last `release` of group 1, and this release does not arrive.
class OrderedBarrier {
public:
  /// `group` (i32) is the number of the executing thread's warp group, 0 or 1. The barrier of a group has the number
  /// `firstBarrier` + group. All threads of both groups execute the code of the members. `tiles` outlives the object.
  OrderedBarrier(TileBuilder &tiles, mlir::Value group, int64_t firstBarrier);
  void open();
  void wait();
  void release(mlir::Value isLast); ///< `isLast` (i1): the group calls wait() no more

private:
  void arrive(mlir::Value barrier);
  TileBuilder &tiles;
  mlir::Value isFirst, own, other;
};

/// Redistribution of registers (setmaxnreg): producers decrease the registers of a thread to `perThread`, consumers
/// increase theirs. All warps of a warp group execute it. `perThread` is a multiple of 8 from 24 to 256. An increase
/// blocks until other warp groups have released enough registers, so the registers of all threads of a block together
/// are at most the 65536 of a multiprocessor. A launch starts with an equal share for each thread (DeviceBackend.h).
void decreaseRegisters(TileBuilder &tiles, int64_t perThread);
void increaseRegisters(TileBuilder &tiles, int64_t perThread);

} // namespace attnc
