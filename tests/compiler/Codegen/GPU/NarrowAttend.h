//===- NarrowAttend.h - attention that rounds its operands, against the oracle ------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/compiler/Codegen/GPU/NarrowText.h"
#include "tests/compiler/Codegen/GPU/PtxText.h"

namespace attnc {

/// q, k, v and the first result in memory as `element`.
NarrowPorts portsAs(ElementKind element);
std::string narrowText(const AttendKernel &kernel, ElementKind element);

/// The kernel, stored in f32, whose products may round to tf32; and operands that are such numbers, q, k and v.
std::string tf32Text(const AttendKernel &kernel);
std::vector<HostArray> roundedToTf32(std::vector<HostArray> operands);

/// What differs from the oracle, which is given the operands as they are stored; of the first result within a unit of
/// 1, or `limit`, and all of it has the same bits in any order of blocks.
std::string narrowDifference(const AttendKernel &kernel, KernelRunner &runner, const std::vector<HostArray> &operands,
                             ElementKind element, std::optional<double> limit = std::nullopt);
/// The same of a kernel of any operands, whose text is of f32.
std::string narrowDifference(const std::string &text, const NarrowPorts &ports, KernelRunner &runner,
                             const std::vector<HostArray> &operands,
                             const std::vector<std::vector<int64_t>> &resultShapes,
                             std::optional<double> limit = std::nullopt);

} // namespace attnc
