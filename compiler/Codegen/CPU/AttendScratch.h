//===- AttendScratch.h - where the tiles of a worker lie ------------------------------------------------------===//
//
// Tiles are laid one behind the other in the worker's scratch, each aligned to a cache line. Rows may be dynamic
// (features, values), columns are not:  offset(n + 1) = alignTo(offset(n) + 4 * rows * columns, 64).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/KernelFrame.h"

namespace attnc {

class AttendScratch {
public:
  explicit AttendScratch(KernelFrame &frame) : frame(frame) {}

  /// A memref<rows x columns x f32>.
  mlir::Value take(const SizeExpr &rows, int64_t columns) {
    mlir::Type element = frame.builder.getF32Type();
    mlir::Value offset = frame.size(bytes);
    bytes = bytes + (rows * SizeExpr(4 * columns)).alignTo(scratchAlignment);
    if (rows.isConstant())
      return frame.scratch(offset, mlir::MemRefType::get({rows.constant(), columns}, element));
    return frame.scratch(offset, mlir::MemRefType::get({mlir::ShapedType::kDynamic, columns}, element),
                         frame.size(rows));
  }

  SizeExpr bytes = 0; ///< taken so far

private:
  KernelFrame &frame;
};

} // namespace attnc
