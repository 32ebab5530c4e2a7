//===- DataSubscripts.h - data-dependent subscripts ---------------------------------------------------------------===//
//
// The front end has proved that subscripts of indices and sizes are in range. Generated code checks data-dependent
// subscripts: loaded or computed numbers, and 32-bit arithmetic, which may wrap around.
//
//   independent of data: a[i floordiv 4, select(c, i, 0)]   dependent: t[index_cast(load)], x[index_cast(i32 i + 1)]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attnc {

/// True if `subscript`, an `index` or an integer in a formula, depends on data in this sense.
bool comesFromData(mlir::Value subscript);
/// True if a subscript of `op` depends on data.
bool readsByData(mlir::tensor::ExtractOp op);
/// True if a load in `region` has a data-dependent subscript.
bool readsByData(mlir::Region &region);

} // namespace attnc
