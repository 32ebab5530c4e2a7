// Follows the PTX ISA, "Data Movement and Conversion Instructions": "Tensor copy", tensormap.replace,
// cp.async.bulk.tensor; "Parallel Synchronization and Communication Instructions": tensormap.cp_fenceproxy,
// membar/fence.
#include "compiler/Codegen/GPU/Tile/TensorMap.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Sizes/Divisibility.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <cassert>
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

/// Size and alignment of a map in bytes.
static constexpr int64_t mapBytes = 128;
static constexpr size_t maxDimensions = 5;
static constexpr int64_t maxBoxSide = 256;
/// Coordinates are i32; the field of a stride has 40 bits.
static constexpr int64_t maxElements = int64_t(1) << 31, maxStride = int64_t(1) << 40;

//===------------------------------------------ tensors -----------------------------------------------------------===//

static bool isWholeVectors(const SizeExpr &bytes) { return isMultipleOf(bytes, vectorBytes); }

int64_t MappedTensor::rows() const {
  int64_t product = 1;
  for (int64_t side : ArrayRef(box).drop_front())
    product *= side;
  return product;
}

/// Whether all constant sizes are below the limit; dynamic sizes are assumed to be.
static bool areBelow(ArrayRef<SizeExpr> sizes, int64_t limit) {
  return llvm::all_of(sizes, [&](const SizeExpr &each) { return !each.isConstant() || each.constant() < limit; });
}

Verdict MappedTensor::check(func::FuncOp kernel) const {
  assert(box.size() == sizes.size() && strides.size() + 1 == sizes.size());
  if (!isAligned(kernel))
    return Verdict::no("a tensor may not be aligned to 16 bytes");
  if (sizes.size() < 2 || sizes.size() > maxDimensions)
    return Verdict::no(fmt::format("it has {} dimensions; a tile is copied from 2 to {}", sizes.size(), maxDimensions));
  for (int64_t side : box)
    if (side < 1 || side > maxBoxSide)
      return Verdict::no(fmt::format("a tile has {} elements along a dimension, expected up to {}", side, maxBoxSide));
  if (rows() % swizzleRows != 0)
    return Verdict::no(fmt::format("a tile has {} rows, expected a multiple of {}", rows(), swizzleRows));
  if (rowBytes() != 32 && rowBytes() != 64 && rowBytes() != 128)
    return Verdict::no(fmt::format("a tile has rows of {} bytes, expected 32, 64 or 128", rowBytes()));
  if (!areBelow(sizes, maxElements) || !areBelow(strides, maxStride))
    return Verdict::no("its sizes do not fit in the fields of a tensor map");
  if (!isWholeVectors(start) || !llvm::all_of(strides, isWholeVectors))
    return Verdict::no("the distance between its rows is not a multiple of 16 bytes");
  return Verdict::yes();
}

//===------------------------------------------ writing maps ------------------------------------------------------===//

namespace {

/// Writes the fields of a zeroed map in shared memory. The rank field is the rank less one, and strides are in bytes
/// (in PTX ISA 8.6 and newer; earlier ones had 16-byte units).
class MapWriter {
public:
  MapWriter(TileBuilder &tiles, DeviceFrame &frame, Value map) : tiles(tiles), frame(frame), map(map) {}

  void write(const MappedTensor &tensor) {
    constexpr int64_t noInterleave = 0, zeroFill = 0;
    replace("global.address", {address(tensor)});
    replace("rank", {tiles.constant(static_cast<int64_t>(tensor.sizes.size()) - 1)});
    for (auto [number, size, side] : llvm::enumerate(tensor.sizes, tensor.box)) {
      Value dimension = tiles.constant(static_cast<int64_t>(number));
      replace("box.dim", {dimension, tiles.constant(side)});
      // An empty tensor is never copied from, but its map is written; fields cannot be 0.
      Value atLeastOne = tiles.max(tiles.fromIndex(frame.size(size)), tiles.constant(1));
      replace("global.dim", {dimension, atLeastOne});
      replace("element.stride", {dimension, tiles.constant(1)});
    }
    for (auto [number, stride] : llvm::enumerate(tensor.strides))
      replace("global.stride", {tiles.constant(static_cast<int64_t>(number)), wide(frame.size(stride))});
    replace("elemtype", {tiles.constant(elementCode(tensor))});
    replace("interleave.layout", {tiles.constant(noInterleave)});
    replace("swizzle.mode", {tiles.constant(swizzleMode(tensor.rowBytes()))});
    replace("fill.mode", {tiles.constant(zeroFill)});
  }

private:
  void replace(StringRef field, ArrayRef<Value> operands) {
    SmallVector<Value> all = {map};
    llvm::append_range(all, operands);
    std::string name = ("llvm.nvvm.tensormap.replace." + field).str();
    LLVM::CallIntrinsicOp::create(tiles.builder, tiles.location, tiles.builder.getStringAttr(name), all);
  }

  Value address(const MappedTensor &tensor) {
    Value start = tiles.at(frame.pointer(tensor.buffer), wide(frame.size(tensor.start)));
    return LLVM::PtrToIntOp::create(tiles.builder, tiles.location, tiles.builder.getI64Type(), start);
  }
  Value wide(Value index) {
    return tiles.builder.createOrFold<arith::IndexCastOp>(tiles.location, tiles.builder.getI64Type(), index);
  }

  /// The element type of the map: tf32, or u16 or u32, which are copied unchanged.
  static int64_t elementCode(const MappedTensor &tensor) {
    return tensor.roundsToTf32 ? 11 : tensor.elementBytes == 2 ? 1 : 2;
  }
  static int64_t swizzleMode(int64_t rowBytes) { return rowBytes == 32 ? 1 : rowBytes == 64 ? 2 : 3; }

  TileBuilder &tiles;
  DeviceFrame &frame;
  Value map; ///< !llvm.ptr<3>
};

} // namespace

/// Address of map `number` (i32) in the launch's scratch, which is aligned to less than a map.
static Value mapAddress(TileBuilder &tiles, DeviceFrame &frame, Value number) {
  OpBuilder &b = tiles.builder;
  Value scratch = frame.sharedScratch();
  Value address = LLVM::PtrToIntOp::create(b, tiles.location, b.getI64Type(), scratch);
  Value zero = arith::ConstantIntOp::create(b, tiles.location, 0, 64);
  Value mask = arith::ConstantIntOp::create(b, tiles.location, mapBytes - 1, 64);
  Value toNext = arith::SubIOp::create(b, tiles.location, zero, address);
  Value first = tiles.at(scratch, arith::AndIOp::create(b, tiles.location, toNext, mask));
  return tiles.at(first, tiles.widen(tiles.mul(number, mapBytes)));
}

int64_t TensorMaps::bytes() const {
  return static_cast<int64_t>(tensors.size()) * mapBytes + (mapBytes - scratchAlignment);
}

static void waitForWarp(TileBuilder &tiles) {
  NVVM::SyncWarpOp::create(tiles.builder, tiles.location, tiles.constant(-1));
}

KernelPhase TensorMaps::emit(func::FuncOp kernel, StringRef symbol, ModuleOp code) const {
  DeviceFrame frame(kernel, symbol, code, warpThreads);
  TileBuilder tiles(frame.builder, frame.location);
  BlockMemory memory(tiles, code);
  Value map = tiles.at(memory.base, tiles.constant(memory.allocate(mapBytes, mapBytes)));
  Value thread = tiles.fromIndex(frame.position.thread), number = tiles.fromIndex(frame.chunk);
  static_assert(mapBytes == warpThreads * 4);
  tiles.store(tiles.constant(0), tiles.at(map, tiles.mul(thread, 4)));
  waitForWarp(tiles);
  Value isFirst = tiles.equal(thread, tiles.constant(0));
  for (auto [each, tensor] : llvm::enumerate(tensors))
    tiles.when(tiles.both(isFirst, tiles.equal(number, tiles.constant(static_cast<int64_t>(each)))),
               [&, &tensor = tensor] { MapWriter(tiles, frame, map).write(tensor); });
  waitForWarp(tiles);
  // Copies the map to global memory with a release fence, so that kernels which acquire it there see all of it.
  LLVM::InlineAsmOp::create(tiles.builder, tiles.location, TypeRange(),
                            ValueRange{globalPointer(tiles, mapAddress(tiles, frame, number)), map},
                            fmt::format("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                                        ".sync.aligned [$0], [$1], {};",
                                        mapBytes),
                            "l,l,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None,
                            /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  return {symbol.str(), static_cast<int64_t>(tensors.size()), warpThreads, memory.bytes(), DeviceVariant::WarpGroups};
}

//===------------------------------------------ use of maps -------------------------------------------------------===//

TensorMap TensorMaps::acquire(TileBuilder &tiles, DeviceFrame &frame, unsigned number) const {
  Value pointer = mapAddress(tiles, frame, tiles.constant(number));
  NVVM::FenceProxyAcquireOp::create(tiles.builder, tiles.location, NVVM::MemScopeKind::GPU, pointer,
                                    tiles.constant(mapBytes));
  // ptxas may move copies before the invalidation of a cached map of this address. Waiting for a group of bulk copies,
  // even an empty one, orders them.
  NVVM::CpAsyncBulkCommitGroupOp::create(tiles.builder, tiles.location);
  NVVM::CpAsyncBulkWaitGroupOp::create(tiles.builder, tiles.location, /*group=*/tiles.builder.getI32IntegerAttr(0),
                                       /*read=*/tiles.builder.getUnitAttr());
  return TensorMap(pointer, tensors[number]);
}

void TensorMap::copy(TileBuilder &tiles, const SharedTile &tile, Value stage, ValueRange coordinates,
                     Value barrier) const {
  assert(tile.panelRowBytes == tensor.rowBytes() && tile.rows == tensor.rows());
  assert(coordinates.size() == tensor.sizes.size());
  for (int64_t panel = 0; panel < tile.panels(); ++panel) {
    SmallVector<Value> first(coordinates);
    first[0] = tiles.add(first[0], panel * tensor.box[0]);
    Value target = tiles.at(tile.base, tiles.add(stage, panel * tile.panelBytes()));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        tiles.builder, tiles.location, target, pointer, first, barrier, /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/Value(), /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
        /*group=*/nullptr, /*predicate=*/Value());
  }
}

} // namespace attnc
