//===- GemmPhase.h - the multiplying phase of a GEMM kernel -----------------------------------------------------===//
//
// Emits the loops around the register tiles, or dot products, that GemmSchedule.h describes. Both functions emit into
// the open phase `frame`, whose chunk number selects the work.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The phase with schedule.chunks() chunks. It stores the kernel's result.
void emitGemmPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

/// The phase before it, needed only if the right operand is neither a packed weight nor read or packed by chunks
/// (`dots`, `readsRight`, `packsPanels`). It packs the panels of all matrices into shared scratch, one in each chunk.
void emitPackPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

} // namespace attnc
