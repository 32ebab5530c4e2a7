//===- OracleCheck.h - a compiled kernel against the oracle ---------------------------------------------------===//
#pragma once

#include "compiler/Reference/Tolerance.h"
#include "tests/support/KernelRunner.h"

namespace attnc {

/// A kernel as text, and what to run it on.
struct OracleCheck {
  std::string kernel;
  std::vector<HostArray> inputs;
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<int64_t> indexOperands = {};         ///< after the tensors
  double tolerance = reference::tolerance(8, 512); ///< of f32, relative to the largest magnitude; sums of 512 terms
  std::string target = "native";
  std::unique_ptr<Emitter> (*emitter)() = nullptr; ///< makes the one to ask; null: the usual one of the target
};

/// Emits the kernel for the processor, runs it in memory of every placement, chunks in both orders, one and two
/// workers; compares with the oracle and the runs with each other bit by bit. Returns what differs, or nothing.
std::string differenceFromOracle(const OracleCheck &check);

} // namespace attnc
