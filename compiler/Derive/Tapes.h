//===- Tapes.h - carried tensors to which each time step writes one row -------------------------------------------===//
//
// A scan that reads its own earlier results carries them on a tape, to which time step t writes row t:
//
//   scan t over n carry (tape = zeros(batch, n, d)) {
//     let h = f(tape, ...)
//     tape = [b, j, d] => if j == t then h[b, d] else tape[b, j, d]
//   }
//
// The tape before time step t has the rows j < t of the tape after the loop, and otherwise those of the initial tape.
// The backward pass therefore reads it from these two tensors, and no tape is stored for each time step.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/LoopIterations.h"

namespace attnc {

/// The dimension of a tape whose row t is written in the iteration with index t, and the order of these indices.
struct Tape {
  unsigned dimension;
  IterationOrder order; ///< Ascending or Descending
};

/// Returns the tape that the loop carries as number `number`; null if an iteration may change other elements than those
/// of one row, or if the rows are not those of the iterations' indices. Requires a canonical induction variable.
std::optional<Tape> findTape(mlir::scf::ForOp loop, unsigned number, SymbolicShapes &shapes);

/// Writes the tape before the iteration with index `row`, from the tensors before and after the loop.
mlir::Value tapeBefore(mlir::OpBuilder &builder, mlir::Location at, Tape tape, mlir::Value initial, mlir::Value last,
                       mlir::Value row);

} // namespace attnc
