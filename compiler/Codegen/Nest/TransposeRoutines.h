//===- TransposeRoutines.h - transposition between strided rows and a panel ---------------------------------------===//
//
// A panel is the transposed copy of up to `width` rows: element c of row r is element offset + c * width + r of the
// panel's buffer. Attention and its gradient pack tiles of queries, keys and values in this layout. packRows() and
// unpackRows() transpose squares of lanes x lanes elements in registers. Each emits a call of a routine (Routine.h);
// there is one routine for each width and pair of element types. `lanes` must be a power of two, at least 4.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

struct Panel {
  mlir::Value flat, offset; ///< a flat buffer; the offset of the panel's first element (index)
  int64_t width;            ///< number of rows that the panel has room for, a multiple of `lanes`
};

/// The contents that packRows() writes for rows r >= rows.count: zeros, or copies of the last row. Copies take less
/// time and require rows.count > 0.
enum class MissingRows { Zeros, Copies };

/// Writes rows 0 to filled - 1 to the panel: element c of row r, times `factor` (a scalar f32; null: 1), for all c
/// below rows.columns. `filled` is an index, a multiple of `lanes` and at most panel.width. `rows` needs count and
/// columns.
void packRows(FlatBuilder &code, mlir::ModuleOp module, const StridedRows &rows, MissingRows missing,
              const Panel &panel, mlir::Value filled, mlir::Value factor = {});

/// The inverse: stores element c of row r to `rows` for r < min(rows.count, panel.width) and c < rows.columns. Row r is
/// multiplied by element r of the flat buffer `scales` (null: 1). `rows` needs count and columns. The code reads the
/// panel for all c below rows.columns rounded up to a multiple of `lanes`, and `scales` for all r below
/// min(rows.count, panel.width) rounded up likewise; the buffers must contain these elements.
void unpackRows(FlatBuilder &code, mlir::ModuleOp module, const Panel &panel, const StridedRows &rows,
                mlir::Value scales = {});

} // namespace attnc
