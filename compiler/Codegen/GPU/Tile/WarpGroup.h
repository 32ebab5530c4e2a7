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

/// Named barrier `number`, 1 to 15, of `threads` threads (whole warps); syncBlock uses number 0.
void syncThreads(TileBuilder &tiles, int64_t number, int64_t threads);

/// Ordered barrier of two consumer warp groups, which alternate: one issues its products while the other computes
/// something else.
///
///   order.open()
///   each group, once for each of its tiles:  order.wait(); issue products; order.release(isLast)
///
/// Each group has a named barrier. `wait` blocks at the own barrier; `release` arrives at the other group's without
/// blocking. Both groups execute the same number of waits.
class OrderedBarrier {
public:
  /// `group` (i32) is 0, which goes first, or 1.
  OrderedBarrier(TileBuilder &tiles, mlir::Value group, int64_t firstBarrier);
  void open();
  void wait();
  void release(mlir::Value isLast); ///< i1: this group does not wait again, nor does the other after its current tile

private:
  void arrive(mlir::Value barrier);
  TileBuilder &tiles;
  mlir::Value isFirst, own, other;
};

/// Redistribution of registers (setmaxnreg): producers decrease theirs, consumers increase theirs. `perThread` is a
/// multiple of 8; the registers of all threads of a block stay within 64 Ki.
void decreaseRegisters(TileBuilder &tiles, int64_t perThread);
void increaseRegisters(TileBuilder &tiles, int64_t perThread);

} // namespace attnc
