//===- AttendMasks.h - masks that attention and its gradient are tested with -------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

inline constexpr const char *causalMask = "%m = arith.cmpi sle, %j, %i : index";

/// `mask` and `captured` are those of an AttendKernel.
struct AttendMaskCase {
  std::string name, mask, captured;
  /// What it captures besides q, k and v.
  std::function<std::vector<HostArray>(const AttendKernel &)> operands = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// None, then masks of indices and of captured tensors, for two heads.
std::vector<AttendMaskCase> attendMaskCases();

} // namespace attnc
