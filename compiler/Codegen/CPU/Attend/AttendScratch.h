//===- AttendScratch.h - allocation of tiles in a worker's scratch --------------------------------------------===//
//
// Tiles are allocated one after the other in the worker's scratch, each aligned to a cache line. Rows may be dynamic
// (features, values), columns are not:  offset(n + 1) = alignTo(offset(n) + 4 * rows * columns, 64).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

class AttendScratch {
public:
  explicit AttendScratch(KernelFrame &frame) : frame(frame) {}

  /// Allocates a row-major tile of rows x columns elements (f32 by default), which occupy four bytes each, so
  /// their type has at most four bytes. Returns it as a memref with one index, so that the distance of two rows folds
  /// into addresses. All tiles without elements of a type are the same memref.
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

  SizeExpr bytes = 0; ///< allocated so far; KernelCode::workerBytes is the maximum over the phases of a kernel

private:
  KernelFrame &frame;
  llvm::SmallDenseMap<mlir::Type, mlir::Value> empty;
};

} // namespace attnc
