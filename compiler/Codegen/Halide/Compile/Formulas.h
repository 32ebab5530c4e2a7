//===- Formulas.h - translation of stage nodes to Halide expressions ----------------------------------------------===//
//
// Used by Bitcode.cpp. This header includes Halide.h, so only the folder Compile includes it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <Halide.h>
#include <functional>
#include <vector>

namespace attnc::halide {

/// The Halide type of an element in memory: bool is an 8-bit number, bf16 and f16 are 16-bit numbers.
Halide::Type typeOf(attn_dtype element);
/// Converts a value of a formula to its representation in memory as `element`.
Halide::Expr stored(attn_dtype element, const Halide::Expr &value);

/// The larger of both numbers, or the smaller if not `larger`; NaN if either is NaN. Floats must not both be constants,
/// and a constant must not be NaN.
Halide::Expr extremum(bool larger, const Halide::Expr &a, const Halide::Expr &b);
/// The next value of a fold: `before`, its value over the earlier terms, combined with `term`.
Halide::Expr folded(Fold fold, const Halide::Expr &before, const Halide::Expr &term);

/// Whether the loop over the lanes of a tile, of `lanes` iterations, is vectorised; otherwise it is unrolled. Loops of
/// two are unrolled because of a fault of Halide 14. In a formula that tests whether an index is even, it turns a
/// vector of two numbers into a ramp a + i (b - a), even if they are floats. The second number is then rounded, and NaN
/// if both are infinite.
constexpr bool isVector(int64_t lanes) { return lanes > 2; }

/// The nodes of a stage as expressions at one iteration of its loops. `stage` must outlive the object.
class Formulas {
public:
  using Expr = Halide::Expr;
  /// A function that returns an element of buffer number `buffer`, as it is in memory (typeOf), with subscripts
  /// innermost first.
  using Load = std::function<Expr(unsigned buffer, const std::vector<Expr> &subscripts)>;

  /// `iterations` has the index of each loop of the stage, and `sizes` the value of each argument.
  Formulas(const Stage &stage, std::vector<Expr> iterations, std::vector<Expr> sizes, Load load)
      : stage(stage), iterations(std::move(iterations)), sizes(std::move(sizes)), load(std::move(load)),
        values(stage.nodes.size()), hasQuotient(nodesWithQuotients(stage)) {}

  /// The value of node number `node`.
  Expr valueOf(unsigned node);
  /// Sets the value of nodes of kind Folded; required before the value of a node that depends on one.
  void setFolded(Expr value) { folded = std::move(value); }
  /// The value of a size, an i32.
  Expr valueOf(const Size &size) const;

private:
  Expr compute(const Node &node);
  Expr element(const Node &node);
  Expr call(const Node &node);
  /// For each node, true if it depends on a quotient of integers.
  static std::vector<bool> nodesWithQuotients(const Stage &stage);

  const Stage &stage;
  std::vector<Expr> iterations, sizes;
  Expr folded;
  Load load;
  std::vector<Expr> values;
  std::vector<bool> hasQuotient;
};

} // namespace attnc::halide
