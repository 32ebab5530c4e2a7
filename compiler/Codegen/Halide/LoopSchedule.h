//===- LoopSchedule.h - a schedule in Halide's own terms ----------------------------------------------------------===//
//
// What Halide's autoschedulers say of a stage, and what a person may say instead of a tile (StageSchedule.h): how the
// loops of each definition are divided and ordered.
//
//   result: split(d3, d3o, d3i, 16) loops(vector d3i, d3o, d2)
//   start: at(d3o) loops(vector d3)
//   sum: loops(vector d3, d6, d5, d4)
//
// `result` writes the result; `start` and `sum` make what it is of where the stage folds, for each iteration of the
// result's loop that `at` names, or for the chunk at once. Loops come innermost first. What a split leaves over is
// guarded by a condition; `fuse(inner, outer, loop)` makes one loop of two.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc::halide {

struct LoopSplit {
  bool fuses = false;
  std::string loop, outer, inner; ///< `loop` is what both are parts of
  int64_t factor = 0;             ///< iterations of `inner`, where it splits
  bool operator==(const LoopSplit &) const = default;
};

struct OrderedLoop {
  enum class Kind { Serial, Vector, Unrolled } kind = Kind::Serial;
  std::string name;
  bool operator==(const OrderedLoop &) const = default;
};

struct Definition {
  std::vector<LoopSplit> splits;
  std::vector<OrderedLoop> loops; ///< innermost first
  bool operator==(const Definition &) const = default;
};

struct LoopSchedule {
  Definition result;
  std::optional<std::string> at; ///< a loop of the result
  Definition start, sum;         ///< empty where the stage does not fold
  bool operator==(const LoopSchedule &) const = default;
};

} // namespace attnc::halide
