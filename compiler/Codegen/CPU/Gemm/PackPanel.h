//===- PackPanel.h - packing of one column panel of a matrix ----------------------------------------------------===//
//
// The code that fills one panel in the layout of Packing.h. From a K x N source it copies rows of nr floats; from an
// N x K source it transposes blocks of lanes x lanes floats in registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

struct PackedMatrix {
  mlir::Value source, packed; ///< flat
  mlir::Value depth, columns;
  mlir::Value firstStep;   ///< of k; null: the first of the source
  mlir::Value batchStride; ///< elements from one matrix of the source to the next
  mlir::Value outerStride; ///< from one stored row of the source to the next
  bool transposed = false; ///< the source is N x K
  int64_t nr = 0;
};

/// Packs panel `number` % panels of matrix `number` / panels to panel `number` of `packed`, or to offset `target`, by a
/// routine of the module.
void emitPackPanel(FlatBuilder &code, mlir::ModuleOp module, const PackedMatrix &matrix, mlir::Value number,
                   mlir::Value target = {});

} // namespace attnc
