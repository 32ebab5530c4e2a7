//===- PackPanel.h - one column panel, copied out of a matrix -----------------------------------------------------===//
//
// The code that fills one panel of the form that Packing.h describes. Of a K x N source, rows of nr floats are copied;
// of an N x K source, squares of lanes x lanes floats are transposed in registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

struct PackedMatrix {
  mlir::Value source, packed; ///< flat
  mlir::Value depth, columns;
  mlir::Value firstStep;   ///< of k; null where that is the first of the source
  mlir::Value batchStride; ///< elements from one matrix of the source to the next
  mlir::Value outerStride; ///< from one row of the source, as it lies, to the next
  bool transposed = false; ///< the source is N x K
  int64_t nr = 0;
};

/// Packs panel `number` % panels of matrix `number` / panels, to its place among all of them, or to `target`;
/// by a routine of the module.
void emitPackPanel(FlatBuilder &code, mlir::ModuleOp module, const PackedMatrix &matrix, mlir::Value number,
                   mlir::Value target = {});

} // namespace attnc
