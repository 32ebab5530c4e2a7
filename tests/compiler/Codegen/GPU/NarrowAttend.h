//===- NarrowAttend.h - comparison of attention with 16-bit or tf32 operands with the oracle ----------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/compiler/Codegen/GPU/NarrowText.h"
#include "tests/compiler/Codegen/GPU/PtxText.h"

namespace attnc {

/// Returns the ports that store q, k, v and the first result as `element`, BF16 or F16.
NarrowPorts portsAs(ElementKind element);
/// The text of the kernel with these ports.
std::string narrowText(const AttendKernel &kernel, ElementKind element);

/// The text of the kernel with f32 storage, whose products may round operands to tf32 (attn.tf32).
std::string tf32Text(const AttendKernel &kernel);
/// `operands` with the first three, q, k and v, rounded to tf32.
std::vector<HostArray> roundedToTf32(std::vector<HostArray> operands);

/// Runs the kernel, which `runner` has compiled from narrowText() or tf32Text(), on f32 `operands`, which are first
/// rounded to `element` (F32: not rounded). Returns the difference from the oracle's results on the rounded operands;
/// empty if there is none. Elements of the first result may differ by `limit`, by default the unit roundoff of
/// `element` (of BF16 for F32); those of other results by attendTolerance. Runs in both orders of blocks and threads,
/// whose results must be bitwise equal.
std::string narrowDifference(const AttendKernel &kernel, KernelRunner &runner, const std::vector<HostArray> &operands,
                             ElementKind element, std::optional<double> limit = std::nullopt);
/// The same for a kernel with any operands. `text` is the kernel with f32 storage, for the oracle; `runner` has
/// compiled narrowText(text, ports).
std::string narrowDifference(const std::string &text, const NarrowPorts &ports, KernelRunner &runner,
                             const std::vector<HostArray> &operands,
                             const std::vector<std::vector<int64_t>> &resultShapes,
                             std::optional<double> limit = std::nullopt);

} // namespace attnc
