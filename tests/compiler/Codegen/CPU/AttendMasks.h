//===- AttendMasks.h - masks in tests of attention and its gradient -----------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

inline constexpr const char *causalMask = "%m = arith.cmpi sle, %j, %i : index";

/// `mask` and `captured` are components of an AttendKernel.
struct AttendMaskCase {
  std::string name, mask, captured;
  /// Returns the captured operands after q, k and v.
  std::function<std::vector<HostArray>(const AttendKernel &)> operands = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// Returns no mask, then masks of indices and of captured tensors, for two heads.
std::vector<AttendMaskCase> attendMaskCases();

} // namespace attnc
