//===- ScheduleText.h - text format of Halide schedules -----------------------------------------------------------===//
//
// The tile of a stage (StageSchedule.h), then the range of each dimension that a chunk computes, unless it is whole:
//
//   lanes(d3, 16 x 4) rows(d2, 7) sum(d6, d5, d4) chunk(d0: 1, d1: 2)
//
// `dN` is loop N of the stage. If sums are added up outside of tiles, `over` names the outer loops, innermost first,
// and `/` the iterations that a tile sums of the last inner loop, which is then also the first outer one:
//
//   sum(d5, d4 / 64) over(d4, d0)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <string>
#include <string_view>

namespace attnc::halide {

/// The text of the schedule, which parseSchedule reads.
std::string textOf(const Stage &stage, const Schedule &schedule);

/// Parses the schedule of `stage`; null if the text is invalid, with the column, the found word and the expected one in
/// `error`: "at column 8: found d9, expected a dimension of the result: d0, d1, d2".
std::optional<Schedule> parseSchedule(const Stage &stage, const Machine &machine, std::string_view text,
                                      std::string &error);

} // namespace attnc::halide
