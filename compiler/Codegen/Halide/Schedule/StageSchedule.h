//===- StageSchedule.h - how a stage is computed ---------------------------------------------------------------===//
//
// No stage reaches Halide without a schedule. One form covers what this emitter takes: a **tile** of `lanes * vectors`
// elements along one dimension of the result, the lanes, by `rows` along another, whose sums stay in registers while
// the loops that are summed over run, innermost first:
//
//   for the chunk's points outside of the tile
//     for rows: for lanes:  sum = start                  registers
//     for summed loops                                   the last dimension of operands innermost
//       for rows: for lanes:  sum += term                unrolled; one load serves a whole row or column of the tile
//     for rows: for lanes:  store
//
// Where the tiles of a chunk would read more than a cache keeps, one after the other, as for the gradients of weights,
// whose sums are over all images, each sums a **part**, and the parts are added up in the result:
//
//   for outer summed loops                               the outermost; one may run over blocks of another's iterations
//     for the chunk's tiles:  result += sum over the inner summed loops
//
// Which dimensions, and how many of each, is the cheapest by a count of the multiply-adds, loads and latencies of a
// tile against the points that it wastes at the end of a dimension.
//
// A launch's chunks divide the result's dimensions: the outer ones one index a chunk, the next in blocks, the rest
// whole. How many depends on sizes alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"

namespace attnc::halide {

struct Machine {
  int64_t lanes = 16;     ///< of f32 in a vector
  int64_t registers = 32; ///< vectors
  bool hasAvx512 = true;
  bool operator==(const Machine &) const = default;
};

/// What a chunk has of a dimension of the result.
struct Span {
  enum class Kind { Whole, One, Block } kind = Kind::Whole;
  int64_t block = 0; ///< of Block: how many
  bool divides() const { return kind != Kind::Whole; }
  bool operator==(const Span &) const = default;
};

/// Loops that are summed over, innermost first.
struct Sums {
  std::vector<unsigned> inner; ///< by a tile, in registers
  std::vector<unsigned> outer; ///< outside of tiles, whose sums are added up in the result
  int64_t block = 0;           ///< of outer.front(), which is the last of `inner` too: how many iterations a tile sums
  bool operator==(const Sums &) const = default;
};

struct Schedule {
  unsigned laneDimension = 0; ///< of the result
  int64_t lanes = 1, vectors = 1;
  std::optional<unsigned> rowDimension;
  int64_t rows = 1;
  Sums sums;
  std::vector<Span> spans; ///< a dimension of the result each

  int64_t points(unsigned dimension) const; ///< of a tile
  /// The one dimension that chunks divide into blocks whose end a whole number of tiles may miss: the last tile of a
  /// chunk is moved to end where the chunk does, and a chunk of fewer points than a tile's is computed point by point.
  std::optional<unsigned> raggedDimension(const Stage &stage) const;
  /// The schedule of such a chunk.
  Schedule ofRest(unsigned dimension) const;
  bool operator==(const Schedule &) const = default;
};

/// Terms of a sum that make it worth to lay out what it reads so that lanes run along another dimension than the last,
/// and to write the result across them.
inline constexpr int64_t leastTermsForOtherLanes = 64;

/// The dimension of the result along which lanes run: the last, or the innermost one that has a vector's elements where
/// that has less than half of them and all sizes from there on are known, for a chunk has whole vectors.
unsigned laneDimensionOf(const Stage &stage, const Machine &machine);

/// Nothing where no schedule would be worth it; `reason` says why.
std::optional<Schedule> chooseSchedule(const Stage &stage, const Machine &machine, std::string &reason);

/// The outermost summed loop of a stage with this schedule, where a stage for the sums of each of its iterations, and
/// one that adds those up, would be faster. Chunks of the first then read the same iteration one after the other, which
/// a cache keeps; without it each goes through all of them.
std::optional<unsigned> loopOfParts(const Stage &stage, const Schedule &schedule);

/// What a size is taken to be, where it is not known.
int64_t typical(const Size &size);

/// How far elements lie apart that a load reads at neighbouring iterations of a loop: 0, 1, or more (2 where that is
/// not known).
int64_t strideOf(const Stage &stage, const Node &load, unsigned loop);

} // namespace attnc::halide
