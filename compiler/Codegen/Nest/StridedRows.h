//===- StridedRows.h - rows of contiguous elements at a constant distance ---------------------------------------===//
//
// The form in which routines (Routine.h) receive operands whose shape and layout differ from kernel to kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// Rows of `columns` contiguous elements in a flat buffer; row r starts at element offset + r * stride.
struct StridedRows {
  mlir::Value flat, offset, stride;
  mlir::Value count = {}, columns = {}; ///< rows that exist, which may be 0 or less; elements of a row; null if unused
};

/// The rows whose first elements have the subscripts `first`, `second`, ... in `memref`, a dense row-major buffer. A
/// subscript that differs does so by 1.
StridedRows stridedRows(FlatBuilder &code, mlir::Value memref, mlir::ValueRange first, mlir::ValueRange second);

} // namespace attnc
