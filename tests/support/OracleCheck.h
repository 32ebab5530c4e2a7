//===- OracleCheck.h - comparison of a compiled kernel with the oracle --------------------------------------------===//
#pragma once

#include "compiler/Reference/Tolerance.h"
#include "tests/support/KernelRunner.h"

namespace attnc {

/// A kernel as text, with its operands.
struct OracleCheck {
  std::string kernel;
  std::vector<HostArray> inputs;
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<int64_t> indexOperands = {};         ///< operands of type index, after the tensors
  double tolerance = reference::tolerance(8, 512); ///< of f32, relative to the largest magnitude; sums of 512 terms
  std::string target = "native";
  std::unique_ptr<Emitter> (*emitter)() = nullptr; ///< creates the emitter; null: the default one of the target
};

/// Emits the kernel, runs it in memory of every placement, with chunks in both orders, and with one and two workers.
/// Compares the results with the oracle, and the runs with each other bit by bit. Returns the differences; empty if
/// there are none.
std::string differenceFromOracle(const OracleCheck &check);

} // namespace attnc
