//===- LoopTree.h - what the loops of a schedule run over ---------------------------------------------------------===//
//
// A dimension and the loops that it is divided into, loop by loop (LoopSchedule.h):
//
//   split(d3, d3o, d3i, 16) split(d3i, a, b, 4)          d3 ─ d3o
//                                                           └ d3i ─ a
//                                                                 └ b
//
// The last iterations of a split whose factor does not divide the loop are moved to end where it does, and computed
// twice, if the loop is known to have as many iterations as the factor; otherwise a condition guards them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/LoopSchedule.h"
#include <map>

namespace attnc::halide {

/// How many indices of a dimension there are.
struct Extent {
  int64_t least = 1;
  std::optional<int64_t> exact = {}, most = {};
};
/// Of dimensions, by name.
using Extents = std::map<std::string, Extent>;

class LoopTree {
public:
  LoopTree(const Definition &definition, const Extents &dimensions);

  /// Whether a split, by number, moves its last iterations.
  bool moves(unsigned split) const { return moved[split]; }
  /// How many indices of a dimension one iteration of the loop `at` has, of this definition; nothing where that varies.
  std::optional<int64_t> indicesWithin(const std::string &dimension, const std::string &at) const;

  /// How many iterations a loop of the definition has; nothing where that is not known.
  std::optional<int64_t> iterationsOf(const std::string &loop) const;

  /// The indices that a dimension has to have for all of its splits to move their last iterations.
  static int64_t indicesOfSplits(const Definition &definition, const std::string &dimension);

private:
  struct Loop {
    Extent extent;
    std::optional<int64_t> iterations;
    int outer = -1, inner = -1; ///< where it is split
    bool isFused = false, isMoved = false;
  };
  std::optional<int64_t> indicesOf(const Loop &loop, const std::vector<bool> &isWithin) const;

  const Definition &definition;
  std::vector<Loop> loops;
  std::map<std::string, unsigned> roots, leaves; ///< by name
  std::vector<bool> moved;
};

/// What `start` and `sum` have of the dimensions of the result, of which `result` has those of `chunk`.
Extents extentsOfTile(const LoopSchedule &loops, const Extents &chunk);

} // namespace attnc::halide
