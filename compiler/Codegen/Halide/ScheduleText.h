//===- ScheduleText.h - schedules as people write and read them ---------------------------------------------------===//
//
// A stage by a tile (StageSchedule.h), or loop by loop (LoopSchedule.h); both end with what a chunk has, if that is not
// all:
//
//   lanes(d3, 16 x 4) rows(d2, 7) sum(d6, d5, d4) chunk(d0: 1, d1: 2)
//   result: split(d3, d3o, d3i, 16) loops(vector d3i, d3o, d2) | start: at(d3o) loops(vector d3) | sum: ... | ...
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/StageSchedule.h"
#include <string>
#include <string_view>

namespace attnc::halide {

std::string textOf(const Stage &stage, const Schedule &schedule);

/// The schedule of `stage` that the text is; nothing where it is none, and `error` says where, what was found, and what
/// was expected: "at column 8: found d9, expected a dimension of the result: d0, d1, d2".
std::optional<Schedule> parseSchedule(const Stage &stage, const Machine &machine, std::string_view text,
                                      std::string &error);

} // namespace attnc::halide
