//===- DataSubscripts.h - subscripts that depend on data ----------------------------------------------------------===//
//
// A subscript that is made of indices and sizes alone has been proved in range by the front end. What comes from data
// is checked when the program runs: any number that was loaded or computed, or counted in 32 bits, which wrap around.
//
//   a[i floordiv 4, select(c, i, 0)]     no, whatever c is        table[index_cast(load)], x[index_cast(i32 i + 1)]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attnc {

bool comesFromData(mlir::Value subscript);
/// Whether one of its subscripts does.
bool readsByData(mlir::tensor::ExtractOp op);
/// Whether a load below `region` reads so.
bool readsByData(mlir::Region &region);

} // namespace attnc
