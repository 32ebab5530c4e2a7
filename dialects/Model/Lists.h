//===- Lists.h - loops over lists of parameters -------------------------------------------------------------------===//
//
// All parameters of modules in a list have one symbol: `model.get @blocks.parts.w[%i, %j]`. A value computed from all
// of them is a tensor with a leading dimension for each list.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::model {

/// Emits nested loops over `counts` without carried values, and calls `body` once, in the innermost one: it receives
/// the element of `list` (a model.element) and its indices, one for each loop, and emits code at `builder`. The leading
/// dimensions of `list` are the counts; without counts, no loop is emitted and `list` itself is the element.
/// Afterwards, `builder` inserts after the loops.
void forEachElement(OpBuilder &builder, Location at, Value list, ArrayRef<int64_t> counts,
                    function_ref<void(Value element, ValueRange place)> body);

} // namespace mlir::model
