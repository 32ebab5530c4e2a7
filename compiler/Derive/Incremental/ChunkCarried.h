//===- ChunkCarried.h - carried values of scans in next and next_prefill ------------------------------------------===//
//
// A scan along the positions carries values from time step to time step, in f from the first position to the last one.
// In next and next_prefill, a state has the values after the last `ringSize` positions of each row, in a dimension
// after that of the rows: the value after position p is at index p mod ringSize.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// The dimension of positions in the state of a carried value.
unsigned carriedDim(ChunkValues &chunk, const RetainedValue &carried);
/// The value of each row before the positions of the call: from `state`, or, in a row of length 0, `initial`, the value
/// of f at which the scan starts.
mlir::Value carriedBefore(ChunkValues &chunk, const RetainedValue &carried, mlir::Value state, mlir::Value initial);
/// `state` with `value`, the carried value after the time step of the loop that the builder is in.
mlir::Value appendCarried(ChunkValues &chunk, const RetainedValue &carried, mlir::Value state, mlir::Value value,
                          mlir::scf::ForOp loop);

} // namespace attnc
