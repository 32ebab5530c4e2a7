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
//   in the main phase, the producer thread           the consumers
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

/// Fewest floating-point operations of a kernel for which maps pay. The extra phase takes some 2 us; that many
/// operations take about 30 us.
inline constexpr int64_t flopsWorthMaps = int64_t(1) << 34;
/// Value assumed for a dynamic size when tiles are chosen.
inline constexpr int64_t typicalSize = 1024;

/// A tensor, or a rectangular part of one, as a tensor map describes it. Dimension 0 is the innermost one, whose
/// elements are contiguous: the order is the reverse of MLIR's. Code must not copy from a tensor without elements.
struct MappedTensor {
  unsigned buffer;                     ///< number of the buffer in the kernel (DeviceFrame::pointer)
  SizeExpr start;                      ///< bytes from the start of the buffer to element 0
  int64_t elementBytes;                ///< 2 or 4
  llvm::SmallVector<SizeExpr> sizes;   ///< of each dimension, in elements
  llvm::SmallVector<SizeExpr> strides; ///< of dimensions 1, 2, ..., in bytes: one element fewer than `sizes`
  llvm::SmallVector<int64_t> box;      ///< sides of the box, in elements, as many as `sizes`. A box is a panel of a
                                       ///< SharedTile: side 0 is a row of the panel, the others together its rows
  bool roundsToTf32 = false;           ///< elements are f32, which the copy rounds to the nearest tf32

  int64_t rowBytes() const { return box[0] * elementBytes; } ///< of a row of a box
  int64_t rows() const;                                      ///< of a box: the product of its sides but side 0
  /// Whether TMA can copy boxes of this tensor of `kernel`; otherwise the reason, a phrase about the tensor. There are
  /// five conditions. No tensor of the kernel has `attn.unaligned`. There are two to five dimensions of less than 2^31
  /// elements, with strides below 2^40 bytes; dynamic ones are assumed to be. The sides of a box are at most 256. The
  /// rows of a box are a multiple of 8, of 32, 64 or 128 bytes each. Start and strides are multiples of 16 bytes.
  Verdict check(mlir::func::FuncOp kernel) const;
};

/// A tensor map in global memory, visible to the one thread that called TensorMaps::acquire and issues copies.
class TensorMap {
public:
  /// Issues, by the executing thread alone, the copies of a tile to the stage at offset `stage` (i32,
  /// SharedTile::stageOffset), one box for each panel. The first element is at `coordinates` (i32, one for each
  /// dimension, innermost first, possibly outside of the tensor); further panels follow along dimension 0. Elements
  /// outside of the tensor become zero. The copies count their bytes at `barrier` (!llvm.ptr<3>), an mbarrier. A row of
  /// a panel of `tile` is a row of the box, and `tile` has as many rows as the box.
  void copy(TileBuilder &tiles, const SharedTile &tile, mlir::Value stage, mlir::ValueRange coordinates,
            mlir::Value barrier) const;

private:
  friend class TensorMaps;
  TensorMap(mlir::Value pointer, const MappedTensor &tensor) : pointer(pointer), tensor(tensor) {}
  mlir::Value pointer; ///< !llvm.ptr
  MappedTensor tensor;
};

/// The tensor maps of a kernel, one for each tensor.
class TensorMaps {
public:
  /// MappedTensor::check holds for each of `tensors`.
  explicit TensorMaps(llvm::ArrayRef<MappedTensor> tensors) : tensors(tensors.begin(), tensors.end()) {}

  /// Appends the function `symbol` of the phase that writes the maps to `code`, and returns the phase: one block of a
  /// warp for each map, in images for warp groups only. The caller runs it before the phases that copy.
  KernelPhase emit(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code) const;
  /// Bytes of scratch for the maps, which are at the start of the launch's shared scratch (KernelCode::sharedBytes).
  int64_t bytes() const;
  /// Emits, in a later phase, the acquire fence by which the executing thread sees the map of tensor number `number`.
  /// The thread then issues its copies.
  TensorMap acquire(TileBuilder &tiles, DeviceFrame &frame, unsigned number) const;

private:
  llvm::SmallVector<MappedTensor> tensors;
};

} // namespace attnc
