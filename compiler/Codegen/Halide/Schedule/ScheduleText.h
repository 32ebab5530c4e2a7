//===- ScheduleText.h - text format of Halide schedules -----------------------------------------------------------===//
//
// The text of a Schedule (StageSchedule.h), as `attnc explain` prints it and the schedule key `halide` accepts it (both
// have one such text for each stage of the kernel, separated by `;`):
//
//   lanes(d3, 16 x 4) rows(d2, 7) sum(d6, d5, d4) chunk(d0: 1, d1: 2)
//
// `dN` is loop N of the stage. `lanes` has laneDimension, lanes and vectors of a tile; `rows` has rowDimension and
// rows, and is absent without rows; `sum` has the summed loops, innermost first, and is absent if there are none.
// `chunk` has the number of indices of a chunk in each dimension that chunks divide, and is absent if they divide none.
// A scatter (Stage.h) has neither `rows` nor `over`. If a tile computes partial sums, `sum` has the loops that a tile
// sums over, and `over` has the outer loops, innermost first. If a tile sums only a block of a loop, the loop is the
// last one of `sum`, with the size of the block after `/`, and also the first one of `over`:
//
//   sum(d5, d4 / 64) over(d4, d0)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <string>
#include <string_view>

namespace attnc::halide {

/// The text of a schedule of `stage`; parseSchedule() is the inverse.
std::string textOf(const Stage &stage, const Schedule &schedule);

/// Parses and validates a schedule of `stage` for `machine`. Null if the text is invalid; `error` then has the column,
/// the found word and the expected one: "at column 7: found d9, expected a dimension of the result: d0, d1, d2".
std::optional<Schedule> parseSchedule(const Stage &stage, const Machine &machine, std::string_view text,
                                      std::string &error);

} // namespace attnc::halide
