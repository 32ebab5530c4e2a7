//===- PackPanel.h - packing of one column panel of a matrix ----------------------------------------------------===//
//
// The code that fills one panel in the layout of WeightPacking.h. From a K x N source a routine copies rows of nr
// floats; from an N x K source packRows transposes them (Nest/TransposeRoutines.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// A batch of matrices of the same shape, and the buffer of their panels. Values are flat buffers or of type index.
struct PackedMatrix {
  mlir::Value source, packed; ///< flat
  mlir::Value depth, columns; ///< steps of k to pack, also rows of a panel in `packed`; N
  mlir::Value firstStep;      ///< the first k to pack; null: 0
  mlir::Value batchStride;    ///< elements from one matrix of the source to the next
  mlir::Value outerStride;    ///< elements from one stored row of the source, a k or (transposed) an n, to the next
  bool transposed = false;    ///< the source is N x K
  int64_t nr = 0;             ///< columns of a panel, whole vectors; those past N become zeros
};

/// Emits the packing of panel `number` % panels of matrix `number` / panels, for ceil(columns / nr) panels of a matrix,
/// to panel `number` of `packed`, or to element `target` of it and after. The code is a call of a routine in `module`.
void emitPackPanel(FlatBuilder &code, mlir::ModuleOp module, const PackedMatrix &matrix, mlir::Value number,
                   mlir::Value target = {});

} // namespace attnc
