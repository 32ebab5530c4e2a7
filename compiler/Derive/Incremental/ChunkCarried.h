//===- ChunkCarried.h - carried values of scans in next and next_prefill ------------------------------------------===//
//
// In f, a scan along the positions carries values from time step to time step, from the first position to the last one.
// In next and next_prefill (Incremental.h), a state of the entry point holds the carried values after the last
// `ringSize` positions of each row. The value after position p is at index p mod ringSize of a dimension that follows
// the one of the rows. All functions emit ops at the builder of `chunk`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// The dimension of positions in an element of the state of `carried`: 1 after that of the rows, 0 without rows.
unsigned carriedDim(ChunkValues &chunk, const RetainedValue &carried);
/// The carried value of each row before the positions of the call. It is read from `state`. In a row of length 0, it is
/// that of `initial`, the value of f at which the scan starts.
mlir::Value carriedBefore(ChunkValues &chunk, const RetainedValue &carried, mlir::Value state, mlir::Value initial);
/// Returns `state` after a model.append of `value`, the carried value after the current time step. `loop` is the scan
/// in whose body the builder is; it is not read in next, where the call has one position.
mlir::Value appendCarried(ChunkValues &chunk, const RetainedValue &carried, mlir::Value state, mlir::Value value,
                          mlir::scf::ForOp loop);

} // namespace attnc
