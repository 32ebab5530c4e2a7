//===- BlockMemory.h - allocator of the dynamic shared memory of a block ------------------------------------------===//
//
// Static shared memory is limited to 48 KB for each function. A launch provides more: KernelPhase::blockBytes bytes of
// dynamic shared memory. Tiles are allocated in it at constant offsets, in order, and are not freed. Several
// BlockMemory objects of a phase start at the same address: the second reuses the memory of the first.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

class BlockMemory {
public:
  /// Alignments in bytes: of the memory, the largest one, and of an allocation unless another one is requested.
  static constexpr int64_t alignment = 1024, defaultAlignment = 128;

  /// Declares the memory in the device's module `code`, once for all phases.
  BlockMemory(TileBuilder &tiles, mlir::ModuleOp code);

  /// Allocates `bytes`, rounded up to a multiple of defaultAlignment; returns their offset from `base`.
  int64_t allocate(int64_t bytes, int64_t alignment = defaultAlignment);
  int64_t bytes() const { return allocated; } ///< allocated so far; in the end, the phase's `blockBytes`
  mlir::Value base;                           ///< !llvm.ptr<3>

private:
  int64_t allocated = 0;
};

} // namespace attnc
