//===- StageSchedule.h - schedules of Halide stages: register tiles and chunks ------------------------------------===//
//
// Every stage (Stage.h) whose result has a dimension has a schedule. The result is computed in **tiles**:
// `lanes * vectors` elements along one dimension of the result, by `rows` elements along another one. The sums of a
// tile remain in registers while the summed loops run:
//
//   for points of the chunk, tile by tile
//     for rows: for lanes:  sum = start                  registers
//     for summed loops                                   the last dimension of operands innermost
//       for rows: for lanes:  sum += term                unrolled; one load serves a whole row or column of the tile
//     for rows: for lanes:  store
//
// If successive tiles of a chunk would read more than the cache retains, as for gradients with respect to weights,
// which sum over all images, each tile computes **partial sums**, which are added in the result:
//
//   for outer summed loops                               the outermost loops; one may run over blocks of a loop
//     for the chunk's tiles:  result += sum over the inner summed loops
//
// If the stage has a fold, the dimension of the lanes is static, and a chunk has several indices of a dimension outside
// of it, a cost model chooses the tile: multiply-adds, loads and latencies of a tile, and the points computed twice at
// the end of a dimension. Otherwise a tile is one vector.
//
// The chunks of a launch divide the dimensions of the result: the outer dimensions index by index, the next one in
// blocks, and the inner ones not at all. Chunks of a scatter divide only dimensions in which it is apart
// (Stage::isApart). The number of chunks depends on sizes alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"

namespace attnc::halide {

/// The processor, as far as schedules and code depend on it.
struct Machine {
  int64_t lanes = 16;      ///< f32 elements of a vector
  int64_t registers = 32;  ///< vector registers
  std::string target = {}; ///< Halide's name of the target, "x86-64-linux-avx2-fma"; schedules do not depend on it
  bool operator==(const Machine &) const = default;
};

/// The range of a chunk in one dimension of the result: the whole dimension, one index, or a block of indices.
struct Span {
  enum class Kind { Whole, One, Block } kind = Kind::Whole;
  int64_t block = 0; ///< number of indices, for Block
  bool divides() const { return kind != Kind::Whole; }
  bool operator==(const Span &) const = default;
};

/// The numbers of the summed loops, innermost first.
struct Sums {
  std::vector<unsigned> inner; ///< loops that a tile sums over, in registers
  std::vector<unsigned> outer; ///< loops around the tiles, whose partial sums are added in the result; often empty
  /// If a tile sums a block of a loop: the iterations of the block; the loop is inner.back() and outer.front(). 0:
  /// none.
  int64_t block = 0;
  bool operator==(const Sums &) const = default;
};

/// The schedule of one stage.
struct Schedule {
  unsigned laneDimension = 0;           ///< dimension of the result along which lanes run
  int64_t lanes = 1, vectors = 1;       ///< a tile has `lanes * vectors` elements in that dimension
  std::optional<unsigned> rowDimension; ///< another dimension of the result; null without rows
  int64_t rows = 1;                     ///< a tile has this many elements in that dimension
  Sums sums;
  std::vector<Span> spans; ///< one for each dimension of the result

  int64_t points(unsigned dimension) const; ///< the number of indices of a tile in a dimension of the result
  /// The ragged dimension: chunks divide it into blocks, and a block's end may not be a multiple of the tile. The last
  /// tile of a chunk then moves back to the chunk's end, and a chunk smaller than a tile is computed point by point.
  /// Null if none is.
  std::optional<unsigned> raggedDimension(const Stage &stage) const;
  /// The schedule for a chunk that is smaller than a tile in the ragged dimension `dimension`: point by point there.
  Schedule ofRest(unsigned dimension) const;
  bool operator==(const Schedule &) const = default;
};

/// Least number of terms of a sum for which it pays to copy operands to a new layout, so that lanes run along another
/// dimension than the last, and to store the result with a stride.
inline constexpr int64_t leastTermsForOtherLanes = 64;

/// The dimension of the result (which has at least one) along which lanes run: the last one, except for a sum
/// (Fold::Add) of at least leastTermsForOtherLanes terms (with typical() sizes) whose last dimension is static and
/// fills less than half a vector. For this sum, it is the innermost dimension that fills a vector, provided that it and
/// all dimensions inside of it have static sizes, as chunks consist of whole vectors; otherwise the last one.
unsigned laneDimensionOf(const Stage &stage, const Machine &machine);

/// Chooses a schedule by the cost model; a scatter (Stage.h) has a schedule by rule. Null, with the reason in `reason`,
/// if the result has no dimension.
std::optional<Schedule> chooseSchedule(const Stage &stage, const Machine &machine, std::string &reason);

/// The outermost summed loop, if two stages are faster than one: the first computes a sum for each iteration of this
/// loop, and the second adds these (Staging.h). Successive chunks of the first stage then read the same iteration,
/// which the cache retains; a single stage reads all iterations for each chunk. Null if one stage is faster, and if
/// `schedule` has no partial sums, Stage::start is no node of kind Number, or the stage sums over one loop only.
std::optional<unsigned> partialSumLoop(const Stage &stage, const Schedule &schedule);

/// The value of a size that the cost model assumes: an argument of the stage counts as 1024.
int64_t typical(const Size &size);

/// The distance in elements between the elements that `load`, a node of kind Load, reads at successive iterations of
/// loop number `loop`: 0, 1, or 2 for any larger or unknown distance.
int64_t strideOf(const Stage &stage, const Node &load, unsigned loop);

} // namespace attnc::halide
