//===- Formulas.h - nodes of a stage as Halide's expressions ------------------------------------------------------===//
//
// Known to what compiles stages alone: it includes Halide.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <Halide.h>
#include <functional>
#include <vector>

namespace attnc::halide {

/// In memory: bf16 and f16 are numbers of 16 bits.
Halide::Type typeOf(Element element);
/// A number as memory has it.
Halide::Expr stored(Element element, const Halide::Expr &value);

/// The larger (or smaller) of both, NaN where one is NaN.
Halide::Expr extremum(bool larger, const Halide::Expr &a, const Halide::Expr &b);
/// A fold with one more term.
Halide::Expr folded(Fold fold, const Halide::Expr &before, const Halide::Expr &term);

/// Whether a loop of so many lanes is a vector; it is unrolled otherwise. Where a formula asks whether an index is
/// even, Halide 14 takes a vector of two numbers apart and makes a ramp of them, a and a + (b - a), even if they are
/// floats: the second is b no more, and NaN where both are infinite.
constexpr bool isVector(int64_t lanes) { return lanes > 2; }

/// The nodes of a stage at one iteration.
class Formulas {
public:
  using Expr = Halide::Expr;
  /// An element of a buffer, by its number and subscripts, innermost first.
  using Load = std::function<Expr(unsigned buffer, const std::vector<Expr> &subscripts)>;

  /// `iterations` has an expression for each loop, `sizes` one for each argument.
  Formulas(const Stage &stage, std::vector<Expr> iterations, std::vector<Expr> sizes, Load load)
      : stage(stage), iterations(std::move(iterations)), sizes(std::move(sizes)), load(std::move(load)),
        values(stage.nodes.size()), hasQuotient(nodesWithQuotients(stage)) {}

  Expr valueOf(unsigned node);
  /// What Folded is from now on.
  void setFolded(Expr value) { folded = std::move(value); }
  Expr valueOf(const Size &size) const;

private:
  Expr compute(const Node &node);
  Expr element(const Node &node);
  Expr call(const Node &node);
  /// Of each node, whether a quotient of integers is in what it is computed from.
  static std::vector<bool> nodesWithQuotients(const Stage &stage);

  const Stage &stage;
  std::vector<Expr> iterations, sizes;
  Expr folded;
  Load load;
  std::vector<Expr> values;
  std::vector<bool> hasQuotient;
};

} // namespace attnc::halide
