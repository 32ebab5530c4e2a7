//===- AttendPipeline.h - attention, as Halide is told of it ------------------------------------------------------===//
//
// Formulas over the loops of an attn.attend with a softmax, as nodes of one stage that has no value of its own:
//
//   loops     b, h, i (outer), j (key), v (values), d (features)
//   tiles     q[b, h, i, d]                          what sums read of rows: copied once, with rows innermost
//   products  sum over d of  Load tile 0 (Index d) * Load k (b, h, j, d)
//   score     Mul (Load product 0 (), 0.125)         a number for each row and key
//   mask      LessEqual (Index j, Index i)
//   value     Load v (b, h, j, v)
//
// Tiles and products have buffers of the stage that are no operands. Rows of a tile differ in the one outer loop
// `row`; whoever computes a tile has one index of each other outer loop.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"

namespace attnc::halide {

struct AttendPipeline {
  /// What a product reads of a row.
  struct Tile {
    unsigned buffer = 0;
    unsigned value = 0;
    std::vector<unsigned> features; ///< loops, in the order of the buffer's subscripts
  };
  /// A fold over features for each row and key; its buffer has no subscripts.
  struct Product {
    unsigned buffer = 0;
    Fold fold = Fold::Add;
    unsigned term = 0;
    std::vector<unsigned> features;
  };

  Stage formulas;
  unsigned operands = 0; ///< buffers of operands, in whatever place
  unsigned outer = 0;    ///< how many outer loops, which come first
  unsigned row = 0, key = 0;
  std::vector<unsigned> values; ///< loops
  std::vector<Tile> tiles;
  std::vector<Product> products;
  unsigned score = 0, value = 0;
  std::optional<unsigned> mask, sink;
  bool yieldsLse = false;
};

/// Iterations of loops of known sizes.
inline int64_t pointsOf(const Stage &stage, const std::vector<unsigned> &loops) {
  int64_t number = 1;
  for (unsigned loop : loops)
    number *= stage.loops[loop].size.number;
  return number;
}

} // namespace attnc::halide
