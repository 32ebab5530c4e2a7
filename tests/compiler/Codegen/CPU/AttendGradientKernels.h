//===- AttendGradientKernels.h - gradient kernels of attention as text --------------------------------------------===//
//
// The gradient of an AttendKernel with respect to q, k, v and any captured tensors, as one kernel:
//
//   (q, k, v, captured..., dY [, dL], y [, lse]) -> (dq, dk, dv, dcaptured...)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"

namespace attnc {

struct AttendGradientKernel : AttendKernel {
  bool ofFactors = true; ///< q, k and v are differentiated
  /// Captured tensors that are differentiated, with their types: the first ones of `captured`.
  std::vector<std::pair<std::string, std::string>> of = {};
  bool hasLseCotangent = false;

  bool isSoftmax() const { return normaliser == "softmax"; }
  std::string gradientText() const;

  /// Returns the operands of the gradient kernel for operands of the forward kernel. Cotangents are random (in [-8, 8),
  /// so that gradients are of the order of one); the saved tensors come from the oracle.
  std::vector<HostArray> gradientOperands(const std::vector<HostArray> &forward) const;
  /// Returns the shapes of the results; captured tensors follow q, k and v in the order of `of`.
  std::vector<std::vector<int64_t>> gradientShapes(const std::vector<HostArray> &forward) const;
};

/// Like ComparedKernel::compare, for a kernel that is compiled once and run at several sizes.
std::string compareGradient(ComparedKernel &compiled, const AttendGradientKernel &kernel,
                            const std::vector<HostArray> &forward, double tolerance = 1e-5);
std::string compareGradient(const AttendGradientKernel &kernel, const std::vector<HostArray> &forward,
                            double tolerance = 1e-5, std::string_view target = "native");

} // namespace attnc
