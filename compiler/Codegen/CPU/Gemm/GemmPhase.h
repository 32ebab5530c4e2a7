//===- GemmPhase.h - the multiplying phase of a GEMM kernel -----------------------------------------------------===//
//
// Emits the loops around the register tiles that GemmSchedule.h describes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

void emitGemmPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

/// The phase before it, which packs all panels of the right operand.
void emitPackPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

} // namespace attnc
