//===- OracleCheck.h - comparison of a compiled kernel with the oracle --------------------------------------------===//
#pragma once

#include "compiler/Reference/Tolerance.h"
#include "tests/support/KernelRunner.h"

namespace attnc {

/// A kernel as text, with its operands.
struct OracleCheck {
  std::string kernel;                              ///< MLIR text of one kernel function
  std::vector<HostArray> inputs;                   ///< tensor operands
  std::vector<std::vector<int64_t>> resultShapes;  ///< one for each result
  std::vector<int64_t> indexOperands = {};         ///< values of operands of type index, after the tensors
  double tolerance = reference::tolerance(8, 512); ///< relative to the largest |element|; default: sums of 512 terms
  std::string target = "native";
  std::unique_ptr<Emitter> (*emitter)() = nullptr; ///< creates the emitter; null: the default one of the target
};

/// Compiles the kernel, once for equal texts, and runs it in memory of each placement (GuardedBuffer.h): first with one
/// worker and chunks in ascending order, then with two workers and chunks in descending order. Compares the results
/// with the oracle (integers and booleans must be equal), and the runs with each other bit by bit. Returns the first
/// difference, a compiler's message or a failing status as text; empty if there is none.
std::string differenceFromOracle(const OracleCheck &check);

} // namespace attnc
