//===- Lists.h - loops over the elements of lists -------------------------------------------------------------===//
//
// Parameters of modules in lists are many of one symbol: `model.get @blocks.parts.w[%i, %j]`. What is computed of all
// of them at once is a tensor with a leading dimension for each list.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::model {

/// Emits a loop for each of `counts`, each in the one before, and in the innermost `body`: it gets the element of
/// `list` and its place, an index for each loop. `list` has the counts for leading dimensions; without counts it is
/// the element.
void forEachElement(OpBuilder &builder, Location at, Value list, ArrayRef<int64_t> counts,
                    function_ref<void(Value element, ValueRange place)> body);

} // namespace mlir::model
