//===- GemmPhase.h - the kernel phases of a matrix product --------------------------------------------------------===//
//
// A GEMM kernel that is not split along K has one or two kernel phases: an optional phase that packs the right operand,
// or sorts the rows of a grouped product, and the phase that multiplies. The phase that multiplies consists of the
// loops of GemmSchedule.h around register tiles (GemmTile.h) or dot products (GemmDot.h). GemmEmitter.cpp opens a frame
// for each phase and calls the functions below. They append their code to the body of `frame`, where the chunk number
// selects the work.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Emits the phase that multiplies, applies the epilogue and stores the kernel's result. The phase has
/// schedule.chunks() chunks and schedule.workerBytes() bytes of worker scratch.
void emitGemmPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

/// Emits the phase, of one chunk, that sorts the rows of a grouped product by their matrices (GroupedRows.h). A grouped
/// product needs this phase before the one that multiplies, and GroupedRows::sharedBytes() of shared memory.
void emitSortPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

/// Emits the phase that packs the right operand. The kernel needs this phase, before the one that multiplies, only if
/// the right operand is not a packed weight and none of `dots`, `readsRight` and `packsPanels` of the schedule is true.
/// Each chunk packs one panel of one matrix of the batch, in f32 in the layout of WeightPacking.h. The panels begin at
/// byte 0 of the shared scratch.
void emitPackPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame);

} // namespace attnc
