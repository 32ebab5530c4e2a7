//===- AttendScratch.h - allocator of tiles in a worker's scratch -------------------------------------------------===//
//
// The kernels of attention and of its gradient allocate their tiles one after the other in the worker's scratch, each
// aligned to a cache line:
//
//   offset(n + 1) = alignTo(offset(n) + 4 * rows * columns, 64)       in bytes
//
// The number of rows of a tile (features, values) may be dynamic; the number of columns is a constant. Tiles are never
// freed: each phase has an allocator of its own.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

class AttendScratch {
public:
  /// Allocates in the scratch of the open phase `frame`, from byte 0 on.
  explicit AttendScratch(KernelFrame &frame) : frame(frame) {}

  /// Allocates a row-major tile of rows x columns elements of type `element` (null: f32), which has at most four bytes.
  /// Four bytes are reserved for each element. Returns the tile as a memref with one index, so that the distance of two
  /// rows folds into addresses. The elements are not initialised. All tiles of a type without elements are one memref.
  mlir::Value take(const SizeExpr &rows, int64_t columns, mlir::Type element = {}) {
    SizeExpr elements = rows * SizeExpr(columns);
    mlir::Value offset = frame.size(bytes);
    bytes = bytes + (elements * SizeExpr(4)).alignTo(scratchAlignment);
    if (!element)
      element = frame.builder.getF32Type();
    if (elements == SizeExpr(0) && empty.count(element))
      return empty[element];
    if (elements.isConstant()) {
      mlir::Value tile = frame.scratch(offset, mlir::MemRefType::get({elements.constant()}, element));
      if (elements == SizeExpr(0))
        empty[element] = tile;
      return tile;
    }
    return frame.scratch(offset, mlir::MemRefType::get({mlir::ShapedType::kDynamic}, element), frame.size(elements));
  }

  /// Bytes allocated so far. KernelCode::workerBytes of a kernel is the maximum of this number over its phases.
  SizeExpr bytes = 0;

private:
  KernelFrame &frame;
  llvm::SmallDenseMap<mlir::Type, mlir::Value> empty;
};

} // namespace attnc
