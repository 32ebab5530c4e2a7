//===- AttendGradientKernels.h - gradient kernels of attention as text --------------------------------------------===//
//
// The gradient of an AttendKernel (AttendKernels.h) with respect to q, k, v and any captured tensors, as one kernel:
//
//   (q, k, v, captured..., dY [, dL], y [, lse]) -> (dq, dk, dv, dcaptured...)
//
// y and lse are the saved results of the forward kernel; dY and dL are the cotangents of y and lse.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"

namespace attnc {

struct AttendGradientKernel : AttendKernel {
  bool ofFactors = true; ///< q, k and v are differentiated
  /// Captured tensors that are differentiated, with their types: the first ones of `captured`.
  std::vector<std::pair<std::string, std::string>> of = {};
  bool hasLseCotangent = false; ///< the forward kernel also yields lse, and dL is an operand

  bool isSoftmax() const { return normaliser == "softmax"; } ///< lse is then saved
  std::string gradientText() const;                          ///< the gradient kernel function

  /// Returns the operands of the gradient kernel for the operands `forward` of the forward kernel: q, k, v and captured
  /// tensors. Cotangents are random, in [-8, 8), so that gradients are of the order of one. The saved tensors are
  /// results of the oracle.
  std::vector<HostArray> gradientOperands(const std::vector<HostArray> &forward) const;
  /// Returns the shapes of the results; captured tensors follow q, k and v in the order of `of`.
  std::vector<std::vector<int64_t>> gradientShapes(const std::vector<HostArray> &forward) const;
};

/// Runs the gradient kernel for the operands `forward` and compares it with the oracle, as ComparedKernel::compare()
/// does. The first function uses `compiled`, which was compiled once from gradientText() for several sizes; the second
/// compiles the kernel for `target`. Both return the differences; empty if there are none.
std::string compareGradient(ComparedKernel &compiled, const AttendGradientKernel &kernel,
                            const std::vector<HostArray> &forward, double tolerance = 1e-5);
std::string compareGradient(const AttendGradientKernel &kernel, const std::vector<HostArray> &forward,
                            double tolerance = 1e-5, std::string_view target = "native");

} // namespace attnc
