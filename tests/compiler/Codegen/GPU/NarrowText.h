//===- NarrowText.h - kernels of f32 with other types at their edges, as text -------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "tests/support/KernelRunner.h"
#include <optional>

namespace attnc {

/// Which tensors of a kernel are stored otherwise than as f32.
struct NarrowPorts {
  std::vector<unsigned> operands = {}, results = {};
  ElementKind element = ElementKind::BF16;
  std::optional<unsigned> unaligned = {}; ///< an operand that may begin anywhere
};
std::string narrowText(const std::string &kernel, const NarrowPorts &ports);

/// As numbers of tf32, as the device rounds them.
HostArray roundedToTf32(HostArray wide);

/// Operands that are stored narrow, as they are stored.
std::vector<HostArray> stored(std::vector<HostArray> operands, const NarrowPorts &ports);
/// The numbers that they then are.
std::vector<HostArray> widened(std::vector<HostArray> operands);
/// 2^-8 of bf16: half the distance between numbers from 1 on, at most.
double unitOf(ElementKind narrow);

} // namespace attnc
