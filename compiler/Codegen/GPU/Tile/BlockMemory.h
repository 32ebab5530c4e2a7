//===- BlockMemory.h - the shared memory that a launch gives each block -----------------------------------------===//
//
// A function may have 48 KB of shared memory of its own; what is more, the launch gives: as many bytes as
// KernelPhase::blockBytes says. Tiles lie in it one behind the other, at offsets that are known.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"

namespace attnc {

class BlockMemory {
public:
  /// In bytes: of the memory, and of what lies in it where nothing else is said.
  static constexpr int64_t alignment = 1024, partAlignment = 128;

  BlockMemory(TileBuilder &tiles, mlir::ModuleOp code);

  /// The offset of so many bytes that nobody else takes.
  int64_t take(int64_t bytes, int64_t alignment = partAlignment);
  int64_t bytes() const { return taken; }
  mlir::Value base; ///< !llvm.ptr<3>

private:
  int64_t taken = 0;
};

} // namespace attnc
