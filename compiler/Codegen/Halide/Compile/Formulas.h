//===- Formulas.h - nodes of a Halide stage as Halide expressions -------------------------------------------------===//
//
// Includes Halide.h, so only this folder includes it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <Halide.h>
#include <functional>
#include <vector>

namespace attnc::halide {

/// The Halide type of an element in memory: bf16 and f16 are 16-bit numbers.
Halide::Type typeOf(attn_dtype element);
/// Converts a value to its representation in memory.
Halide::Expr stored(attn_dtype element, const Halide::Expr &value);

/// The larger (or smaller) of both; NaN if either is NaN.
Halide::Expr extremum(bool larger, const Halide::Expr &a, const Halide::Expr &b);
/// Combines a fold with one more term.
Halide::Expr folded(Fold fold, const Halide::Expr &before, const Halide::Expr &term);

/// True if a loop of `lanes` lanes is vectorised; otherwise it is unrolled. In a formula that tests whether an index is
/// even, Halide 14 turns a vector of two numbers into a ramp a + i (b - a), even if they are floats: the second number
/// is then rounded, and NaN if both are infinite.
constexpr bool isVector(int64_t lanes) { return lanes > 2; }

/// Expressions of the nodes of a stage at one iteration.
class Formulas {
public:
  using Expr = Halide::Expr;
  /// Returns an element of buffer number `buffer`, with subscripts innermost first.
  using Load = std::function<Expr(unsigned buffer, const std::vector<Expr> &subscripts)>;

  /// `iterations` has an expression for each loop, `sizes` one for each argument.
  Formulas(const Stage &stage, std::vector<Expr> iterations, std::vector<Expr> sizes, Load load)
      : stage(stage), iterations(std::move(iterations)), sizes(std::move(sizes)), load(std::move(load)),
        values(stage.nodes.size()), hasQuotient(nodesWithQuotients(stage)) {}

  Expr valueOf(unsigned node);
  /// Sets the value of Folded.
  void setFolded(Expr value) { folded = std::move(value); }
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
