//===- PackPanel.h - packing of one column panel of a matrix ------------------------------------------------------===//
//
// A panel has nr adjacent columns of the right operand of a matrix product, a K x N matrix, in the layout of
// WeightPacking.h: panel[k][c]. If the matrix is stored as K x N, a routine copies nr elements for each k. If it is
// stored as N x K, packRows transposes it (Nest/TransposeRoutines.h). WeightPacking.cpp packs weights with this code.
// GemmPhase.cpp, GemmOperands.cpp and SplitKGemm.cpp pack matrices that are no packed weights.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// A batch of matrices of the same shape, and the buffer for their panels. Values are of type index, or flat buffers of
/// floats (FlatBuilder.h). Elements are widened or rounded if the two element types differ.
struct PackedMatrix {
  mlir::Value source, packed; ///< flat buffers of the matrices and of the panels, [panel][depth][nr]
  mlir::Value depth, columns; ///< the number of steps of k to pack; N
  mlir::Value firstStep;      ///< the first k to pack; null: 0
  mlir::Value batchStride;    ///< elements from one matrix of the source to the next
  mlir::Value outerStride;    ///< elements from one stored row of the source to the next: a row is a k, transposed an n
  bool transposed = false;    ///< the source is stored as N x K
  int64_t nr = 0;             ///< columns of a panel, a multiple of the vector length; columns past N become zeros
};

/// Emits the packing of one panel, as a call of a routine in `module`. A matrix has P = ceil(columns / nr) panels. The
/// source is panel `number` % P of matrix `number` / P, where `number` is of type index. The panel is written to
/// `packed` from element `target` (index) on; if `target` is null, as panel `number` of `packed`.
void emitPackPanel(FlatBuilder &code, mlir::ModuleOp module, const PackedMatrix &matrix, mlir::Value number,
                   mlir::Value target = {});

} // namespace attnc
