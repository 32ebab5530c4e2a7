//===- StridedRows.h - rows of contiguous elements at a fixed distance --------------------------------------------===//
//
// A matrix operand in memory as a pointer-like buffer, an offset and a row stride. Routines (Routine.h) receive
// matrices in this form, because the shape and the layout of the tensors differ from kernel to kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// Rows of `columns` contiguous elements in a flat buffer (FlatBuilder.h); row r starts at element offset + r * stride.
/// All numbers are of type index, in elements.
struct StridedRows {
  mlir::Value flat, offset, stride;
  /// `count`: number of rows that exist; 0 or a negative number means none. `columns`: elements of a row. Either is
  /// null if the routine does not use it.
  mlir::Value count = {}, columns = {};
};

/// The rows of `memref`, a dense row-major buffer, of which row 0 starts at the subscripts `first` and row 1 at
/// `second`. If exactly one subscript differs, it must be larger by 1 in `second`; the stride is then computed from the
/// sizes alone. Members `count` and `columns` of the result are null.
StridedRows stridedRows(FlatBuilder &code, mlir::Value memref, mlir::ValueRange first, mlir::ValueRange second);

} // namespace attnc
