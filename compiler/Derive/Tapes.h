//===- Tapes.h - carried tensors to which each time step writes one row -------------------------------------------===//
//
// A scan that reads its own earlier results carries them on a tape, to which time step t writes row t:
//
//   scan t over n carry (tape = zeros(batch, n, d)) {
//     let h = f(tape, ...)
//     tape = [b, j, d] => if j == t then h[b, d] else tape[b, j, d]
//   }
//
// Before time step t, the rows j < t of the tape are those of the tape after the loop, and the others those of the
// initial tape. The backward pass therefore reads the tape before each time step from these two tensors, and the
// forward loop does not store a copy of the tape for each time step.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/LoopIterations.h"

namespace attnc {

/// A carried tensor of which each iteration changes at most one row. `dimension` is the dimension of the rows.
/// Iteration t of n changes row t (Ascending) or row n - 1 - t (Descending).
struct Tape {
  unsigned dimension;
  IterationOrder order;
};

/// Describes carried value number `number` of `loop` as a tape. Null if it is not recognised as one: an iteration may
/// change elements outside of one row, or no condition compares the row with the iteration's index. The loop must have
/// a canonical induction variable (LoopIterations.h).
std::optional<Tape> findTape(mlir::scf::ForOp loop, unsigned number, SymbolicShapes &shapes);

/// Emits the tape as it is before the iteration that writes row `row` (an `index`). `initial` is the carried value
/// before the loop, `last` the one after it.
mlir::Value tapeBefore(mlir::OpBuilder &builder, mlir::Location at, Tape tape, mlir::Value initial, mlir::Value last,
                       mlir::Value row);

} // namespace attnc
