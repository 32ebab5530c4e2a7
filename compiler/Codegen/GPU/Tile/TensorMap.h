//===- TensorMap.h - tensor maps, and TMA copies of tiles from global to shared memory ----------------------------===//
//
// On sm_90a one elected thread issues the copy of a tile, and TMA transfers it from global to shared memory. TMA
// computes the addresses, applies the swizzle of SharedTile, writes zeros for elements outside of the tensor, and
// counts the bytes at an mbarrier (TileRing.h). A tensor map of 128 bytes describes the tensor: its address, sizes and
// strides, and the box that one copy transfers, which is a tile or a panel of a tile.
//
// Addresses and sizes are known at launch, so an extra kernel phase writes the maps, into the scratch that the phases
// of a launch share:
//
//   TensorMaps maps({left, right});
//   code.phases = {maps.emit(kernel, symbol, code), ...};
//   code.sharedBytes = maps.bytes();
//
//   in the kernel, the producer thread               the consumers
//     map = maps.acquire(tiles, frame, 0)
//     for each tile:                                   for each tile:
//       ring.awaitEmpty(position)                        ring.awaitFull(position)
//       ring.expect(stage, bytes)                        compute
//       map.copy(tile, stage, coordinates,               ring.markEmpty(stage)
//                ring.full(stage))
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"

namespace attnc {

/// Fewest operations for which maps pay. The extra phase takes some 2 us; that many operations take about 30 us.
inline constexpr int64_t flopsWorthMaps = int64_t(1) << 34;
/// Value assumed for a dynamic size when tiles are chosen.
inline constexpr int64_t typicalSize = 1024;

/// A tensor, or a rectangular part of one, in the layout of a tensor map: dimension 0 is contiguous. Code must not copy
/// from an empty one.
struct MappedTensor {
  unsigned buffer;                     ///< its number (DeviceFrame::pointer)
  SizeExpr start;                      ///< in bytes, where it begins in the buffer
  int64_t elementBytes;                ///< 2 or 4
  llvm::SmallVector<SizeExpr> sizes;   ///< of dimensions, in elements
  llvm::SmallVector<SizeExpr> strides; ///< of dimensions 1, 2, ..., in bytes
  llvm::SmallVector<int64_t> box;      ///< in elements: dimension 0 is a row of a panel, the others are its rows
  bool roundsToTf32 = false;           ///< f32 is rounded to the nearest tf32 during the copy

  int64_t rowBytes() const { return box[0] * elementBytes; } ///< of a row of a box
  int64_t rows() const;                                      ///< of a box: the product of its sides but the first
  /// Whether TMA can copy boxes of the tensor. Requirements: no tensor of the kernel is unaligned (attn.unaligned); two
  /// to five dimensions of less than 2^31 elements, and strides below 2^40 bytes, as far as they are known; sides of a
  /// box of up to 256; a number of rows that is a multiple of 8, of 32, 64 or 128 bytes each; start and strides are
  /// multiples of 16 bytes.
  Verdict check(mlir::func::FuncOp kernel) const;
};

/// A tensor map in global memory, which TensorMaps::acquire made visible to the thread that issues copies.
class TensorMap {
public:
  /// Copies the elements at `coordinates` (i32, one for each dimension, possibly outside of the tensor) to the stage at
  /// offset `stage` (SharedTile::stageOffset), one box for each panel, and counts their bytes at `barrier`
  /// (!llvm.ptr<3>). Elements outside of the tensor become zero.
  void copy(TileBuilder &tiles, const SharedTile &tile, mlir::Value stage, mlir::ValueRange coordinates,
            mlir::Value barrier) const;

private:
  friend class TensorMaps;
  TensorMap(mlir::Value pointer, const MappedTensor &tensor) : pointer(pointer), tensor(tensor) {}
  mlir::Value pointer; ///< !llvm.ptr
  MappedTensor tensor;
};

/// The tensor maps of a kernel.
class TensorMaps {
public:
  explicit TensorMaps(llvm::ArrayRef<MappedTensor> tensors) : tensors(tensors.begin(), tensors.end()) {}

  /// Emits the phase `symbol` that writes the maps, one block for each.
  KernelPhase emit(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code) const;
  /// Bytes of the maps, which are at the start of the launch's shared scratch (KernelCode::sharedBytes).
  int64_t bytes() const;
  /// Emits the acquisition of the map of tensor `number` by the executing thread, which issues copies in a later phase.
  TensorMap acquire(TileBuilder &tiles, DeviceFrame &frame, unsigned number) const;

private:
  llvm::SmallVector<MappedTensor> tensors;
};

} // namespace attnc
