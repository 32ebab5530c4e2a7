//===- WarpGroup.h - synchronisation and registers of warp groups (sm_90a) ----------------------------------------===//
//
// A warp group is four consecutive warps that issue `wgmma` together (WarpGroupProduct.h). The warp groups of a block
// are specialised: producers copy tiles, consumers compute.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

inline constexpr int64_t warpGroupThreads = 4 * warpThreads;

/// Emits a wait at named barrier `number`, 1 to 15, for `threads` threads (whole warps); syncBlock uses number 0.
void syncThreads(TileBuilder &tiles, int64_t number, int64_t threads);

/// Ordered barrier of two consumer warp groups, which alternate: one issues its products while the other computes
/// something else.
///
///   both groups, once:                       order.open()
///   each group, once for each of its tiles:  order.wait(); issue products; order.release(isLast)
///
/// Each group has a named barrier. `wait` blocks at the group's own barrier; `release` arrives at the other group's
/// without blocking. In `open`, group 1 arrives at the barrier of group 0, which therefore goes first. Both groups
/// execute the same number of waits, and group 0 executes its last one first; so the last `release` of group 1 does not
/// arrive.
class OrderedBarrier {
public:
  /// `group` (i32), of the executing thread, is 0 or 1. The barriers are named `firstBarrier` + group.
  OrderedBarrier(TileBuilder &tiles, mlir::Value group, int64_t firstBarrier);
  void open();
  void wait();
  void release(mlir::Value isLast); ///< i1: this was the group's last wait

private:
  void arrive(mlir::Value barrier);
  TileBuilder &tiles;
  mlir::Value isFirst, own, other;
};

/// Redistribution of registers (setmaxnreg): producers decrease theirs, consumers increase theirs. All warps of a
/// warp group execute it. `perThread` is a multiple of 8 from 24 to 256; the registers of all threads of a block
/// together stay within the 65536 of a multiprocessor.
void decreaseRegisters(TileBuilder &tiles, int64_t perThread);
void increaseRegisters(TileBuilder &tiles, int64_t perThread);

} // namespace attnc
