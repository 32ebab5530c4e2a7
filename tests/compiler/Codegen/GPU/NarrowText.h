//===- NarrowText.h - kernels of f32 with narrow operands and results, as text ------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "tests/support/KernelRunner.h"
#include <optional>

namespace attnc {

/// The tensors of a kernel that are not stored as f32.
struct NarrowPorts {
  std::vector<unsigned> operands = {}, results = {};
  ElementKind element = ElementKind::BF16;
  std::optional<unsigned> unaligned = {}; ///< an operand with any alignment
};
std::string narrowText(const std::string &kernel, const NarrowPorts &ports);

/// Rounds to tf32 as the device does.
HostArray roundedToTf32(HostArray wide);

/// Returns the operands in their storage types.
std::vector<HostArray> stored(std::vector<HostArray> operands, const NarrowPorts &ports);
/// Returns the operands converted back to f32.
std::vector<HostArray> widened(std::vector<HostArray> operands);
/// The unit roundoff: 2^-8 for bf16.
double unitOf(ElementKind narrow);

} // namespace attnc
