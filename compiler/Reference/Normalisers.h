//===- Normalisers.h - how the scores of a row become weights ---------------------------------------------------===//
//
// The formulas of dialects/Attn/AttnOps.td over the kept scores of one row, and how a cotangent of the weights becomes
// one of the scores. A normaliser is a pair of functions; they are all in one table.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Rounding.h"
#include "dialects/Attn/Attn.h"
#include <limits>
#include <vector>

namespace attnc::reference {

/// What a row is normalised by, and how each operation's result is rounded.
struct NormaliserArguments {
  double alpha = 2;                                       ///< of entmax
  double sink = -std::numeric_limits<double>::infinity(); ///< of softmax
  bool isFromLse = false; ///< of softmax: weights are exp(s - lse), as gradients compute them; otherwise e / sum of e
  Rounding rounding = Rounding::None;
};

/// Weights of the kept scores of a row.
struct NormalisedRow {
  std::vector<double> weights;
  double lse = -std::numeric_limits<double>::infinity(); ///< where the normaliser has one
};

/// What a row's scores get of a cotangent, and its sink.
struct NormaliserGradient {
  std::vector<double> scores;
  double sink = 0;
};

/// Scores are not -inf.
NormalisedRow normalise(mlir::attn::Normaliser normaliser, llvm::ArrayRef<double> scores,
                        const NormaliserArguments &arguments);
NormaliserGradient normaliserGradient(mlir::attn::Normaliser normaliser, llvm::ArrayRef<double> scores,
                                      const NormaliserArguments &arguments, const NormalisedRow &row,
                                      llvm::ArrayRef<double> ofWeights, double ofLse);

} // namespace attnc::reference
