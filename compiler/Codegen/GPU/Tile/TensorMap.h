//===- TensorMap.h - tiles that the hardware fetches by itself ----------------------------------------------------===//
//
// On sm_90a one thread asks for a tile, and the hardware copies it from global to shared memory (TMA): it computes the
// addresses, puts units where a SharedTile has them, writes zero for what lies outside of the tensor, and counts the
// bytes at a barrier (TileRing.h). Where elements lie it takes from a tensor map, 128 bytes that say the tensor's
// address, sizes and strides, and the box of it that is one tile, or one panel of a tile.
//
// Addresses and sizes are known when a kernel is launched, so a phase in front of it makes the maps, in memory that the
// phases of a launch share:
//
//   TensorMaps maps({left, right});
//   code.phases = {maps.emit(kernel, symbol, code), ...};
//   code.sharedBytes = maps.bytes();
//
//   in the kernel, the thread that copies            the others
//     map = maps.acquire(tiles, frame, 0)
//     for each tile:                                   for each tile:
//       ring.awaitEmpty(place)                           ring.awaitFull(place)
//       ring.expect(stage, bytes)                        compute
//       map.copy(tile, stage, coordinates,               ring.markEmpty(place)
//                ring.full(stage))
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"

namespace attnc {

/// Maps take a launch of their own, some 2 us; so many operations take about 30.
inline constexpr int64_t flopsWorthMaps = int64_t(1) << 34;
/// What a dynamic size is taken for, where that is asked and tiles are chosen.
inline constexpr int64_t typicalSize = 1024;

/// A tensor, or a part of one, as the hardware sees it: dimension 0 is the one whose elements are neighbours.
/// Nobody copies from one that is empty.
struct MappedTensor {
  unsigned buffer;                     ///< its number among operands and results
  SizeExpr start;                      ///< in bytes, where it begins in the buffer
  int64_t elementBytes;                ///< 2 or 4
  llvm::SmallVector<SizeExpr> sizes;   ///< of dimensions, in elements
  llvm::SmallVector<SizeExpr> strides; ///< in bytes, of dimensions 1 and up
  llvm::SmallVector<int64_t> box;      ///< in elements: dimension 0 is a row of a panel, the others are its rows
  bool roundsToTf32 = false;           ///< f32 on the way, to the nearest

  int64_t rowBytes() const { return box[0] * elementBytes; } ///< of a panel
  int64_t rows() const;
  /// Whether the hardware can copy boxes of it. No tensor of the kernel may be unaligned (attn.unaligned). It has two
  /// to five dimensions of less than 2^31 elements, and strides below 2^40 bytes, as far as those are known. Sides of a
  /// box are up to 256, rows of 32, 64 or 128 bytes in eights. Its start and strides are whole units of 16 bytes.
  Verdict check(mlir::func::FuncOp kernel) const;
};

/// The map of a tensor, in a thread that copies.
class TensorMap {
public:
  /// Copies what begins at these coordinates (i32, one a dimension, perhaps outside of the tensor) to the stage at
  /// `stage` (SharedTile::stage), a box a panel, and counts the tile's bytes at `barrier` (!llvm.ptr<3>). What lies
  /// outside of the tensor becomes zero.
  void copy(TileBuilder &tiles, const SharedTile &tile, mlir::Value stage, mlir::ValueRange coordinates,
            mlir::Value barrier) const;

private:
  friend class TensorMaps;
  TensorMap(mlir::Value pointer, const MappedTensor &tensor) : pointer(pointer), tensor(tensor) {}
  mlir::Value pointer; ///< !llvm.ptr
  MappedTensor tensor;
};

/// The maps of a kernel.
class TensorMaps {
public:
  explicit TensorMaps(llvm::ArrayRef<MappedTensor> tensors) : tensors(tensors.begin(), tensors.end()) {}

  /// The phase that makes them, a block each.
  KernelPhase emit(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code) const;
  /// What KernelCode::sharedBytes needs of a launch's memory, from its beginning on.
  int64_t bytes() const;
  /// In a kernel behind that phase, for the thread that calls it: the map of tensor `number`.
  TensorMap acquire(TileBuilder &tiles, DeviceFrame &frame, unsigned number) const;

private:
  llvm::SmallVector<MappedTensor> tensors;
};

} // namespace attnc
