//===- TransposeRoutines.h - transposition between rows and a panel, by routines --------------------------------===//
//
// A panel has the elements of `width` rows in its columns: element c of row r is panel[offset + c * width + r]. Both
// directions work on squares of lanes x lanes elements in registers. Each is a call of a routine of the module
// (Routine.h), one for each width and types of elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

struct Panel {
  mlir::Value flat, offset;
  int64_t width; ///< whole vectors
};

/// The columns of a panel for rows that do not exist: zeros, or copies of the last row that exists, which takes less
/// time and requires at least one row.
enum class MissingRows { Zeros, Copies };

/// Fills the first `filled` (index, whole vectors) columns of a panel: element c of row r becomes `factor` (f32; null
/// for 1) times the one of `rows`.
void packRows(FlatBuilder &code, mlir::ModuleOp module, const StridedRows &rows, MissingRows missing,
              const Panel &panel, mlir::Value filled, mlir::Value factor = {});

/// Stores the elements of the rows that exist, those of row r multiplied by element r of the flat buffer `scales` (null
/// for 1). Reads the panel up to a multiple of `lanes` of rows.columns.
void unpackRows(FlatBuilder &code, mlir::ModuleOp module, const Panel &panel, const StridedRows &rows,
                mlir::Value scales = {});

} // namespace attnc
