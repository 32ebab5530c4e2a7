//===- AttendMasks.h - masks in tests of attention and its gradient -----------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

/// The causal mask as a component of an AttendKernel: key j takes part if j <= i.
inline constexpr const char *causalMask = "%m = arith.cmpi sle, %j, %i : index";

/// A mask. `mask` and `captured` are components of an AttendKernel.
struct AttendMaskCase {
  std::string name, mask, captured;
  /// Returns the captured operands after q, k and v.
  std::function<std::vector<HostArray>(const AttendKernel &)> operands = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// Returns a case without a mask, then masks of indices and of captured tensors, for kernels with two heads.
std::vector<AttendMaskCase> attendMaskCases();

} // namespace attnc
