//===- BlockMemory.h - allocator of the dynamic shared memory of a block ------------------------------------------===//
//
// Static shared memory is limited to 48 KB for each function. A launch can provide more: KernelPhase::blockBytes bytes
// of dynamic shared memory for each block. Tiles are allocated in it at constant offsets, one after the other, and are
// not freed. Several BlockMemory objects of a phase start at the same address: the second reuses the memory of the
// first, and the phase needs the larger of the two sizes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

class BlockMemory {
public:
  /// Alignments in bytes: that of the memory, which is the largest possible one of an allocation; and the default one
  /// of an allocation.
  static constexpr int64_t alignment = 1024, defaultAlignment = 128;

  /// Declares the memory in the device's module `code` unless it is declared, and emits its address.
  BlockMemory(TileBuilder &tiles, mlir::ModuleOp code);

  /// Allocates `bytes`, rounded up to a multiple of defaultAlignment; returns their offset from `base` in bytes, a
  /// multiple of `alignment`. No code is emitted.
  int64_t allocate(int64_t bytes, int64_t alignment = defaultAlignment);
  int64_t bytes() const { return allocated; } ///< end of the last allocation; in the end, the phase's `blockBytes`
  mlir::Value base;                           ///< !llvm.ptr<3>: the start of the memory

private:
  int64_t allocated = 0;
};

} // namespace attnc
