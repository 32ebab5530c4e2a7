//===- Lists.h - loops over lists of parameters -------------------------------------------------------------------===//
//
// The parameters of the modules of a list share one symbol, with an index for each level of lists: `model.get
// @blocks.parts.w[%i, %j]`. A value that is computed from all of them, such as their gradients, is one tensor with a
// leading dimension for each level.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::model {

/// Emits, at `builder`, nested `scf.for` loops over `counts` without carried values, with the location `at`. The
/// leading dimensions of `list` are the counts. Calls `body` once, with `builder` in the innermost loop, so that `body`
/// emits the code of an iteration. `body` receives the element of `list` (a model.element) and its indices, one for
/// each loop. Without counts, no loop is emitted and `list` itself is the element. On return, `builder` inserts after
/// the loops.
void forEachElement(OpBuilder &builder, Location at, Value list, ArrayRef<int64_t> counts,
                    function_ref<void(Value element, ValueRange place)> body);

} // namespace mlir::model
