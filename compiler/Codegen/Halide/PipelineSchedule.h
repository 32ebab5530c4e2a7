//===- PipelineSchedule.h - how the stages of a kernel are computed ---------------------------------------------===//
//
// Stages that run over the same leading dimensions, as all of a row's do, run in one phase where chunks are alike: a
// chunk computes the first stage's part, then the second's, which reads it from where it was just written.
//
//   stage 0   sum over j of x[i, j]                across(d1, 16 x 4) chunk(d0: 8)
//   stage 1   (x[i, j] - stage0[i]) ...            lanes(d1, 16 x 1)  chunk(d0: 8)
//
//   phase 0   for chunks of 8 rows: stage 0, stage 1
//
// What is read in its own phase alone lies in memory of the worker, which has the chunk's part of it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Staging.h"
#include "compiler/Codegen/Halide/StageSchedule.h"

namespace attnc::halide {

/// Schedules for all stages, with chunks that are alike where stages share leading dimensions. Nothing where none
/// would be worth it; `reason` says why.
std::optional<std::vector<Schedule>> chooseSchedules(const std::vector<PlannedStage> &stages, const Machine &machine,
                                                     std::string &reason);

/// Of each stage the number of its phase, from 0 in order. `stages` and `schedules` are in pairs.
std::vector<unsigned> phasesOf(const std::vector<PlannedStage> &stages, const std::vector<Schedule> &schedules);

/// Of each stage whether memory has the chunk's part of its tensor alone: it is read in its phase, and is no result.
std::vector<bool> areOfChunks(const std::vector<PlannedStage> &stages, const std::vector<Schedule> &schedules,
                              const std::vector<unsigned> &phases);

/// How many leading dimensions of the result chunks divide.
unsigned dividedDimensions(const Schedule &schedule);

} // namespace attnc::halide
