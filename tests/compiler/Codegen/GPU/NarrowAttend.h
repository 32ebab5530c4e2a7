//===- NarrowAttend.h - comparison of attention with rounded operands with the oracle -----------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/compiler/Codegen/GPU/NarrowText.h"
#include "tests/compiler/Codegen/GPU/PtxText.h"

namespace attnc {

/// Returns ports that store q, k, v and the first result as `element`.
NarrowPorts portsAs(ElementKind element);
std::string narrowText(const AttendKernel &kernel, ElementKind element);

/// The kernel with f32 storage, whose products may round to tf32; and operands q, k and v rounded to tf32.
std::string tf32Text(const AttendKernel &kernel);
std::vector<HostArray> roundedToTf32(std::vector<HostArray> operands);

/// Returns the difference from the oracle on the stored operands; empty if there is none. The first result may differ
/// by the unit roundoff of 1, or `limit`; all results must be bitwise equal for any order of blocks.
std::string narrowDifference(const AttendKernel &kernel, KernelRunner &runner, const std::vector<HostArray> &operands,
                             ElementKind element, std::optional<double> limit = std::nullopt);
/// The same for a kernel with any operands, whose text is for f32.
std::string narrowDifference(const std::string &text, const NarrowPorts &ports, KernelRunner &runner,
                             const std::vector<HostArray> &operands,
                             const std::vector<std::vector<int64_t>> &resultShapes,
                             std::optional<double> limit = std::nullopt);

} // namespace attnc
