//===- Normalisers.h - attention normalisers and their vector-Jacobian products -----------------------------------===//
//
// A normaliser (softmax, ratio, entmax, ...) maps the unmasked scores of one row to attention weights, by the formulas
// of dialects/Attn/AttnOps.td. The oracle's implementations are below. Softmax also computes lse, the logarithm of the
// sum of the exponentials of the scores. The gradient maps cotangents of the weights and of lse to cotangents of the
// scores and of the sink.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Rounding.h"
#include "dialects/Attn/Attn.h"
#include <limits>
#include <vector>

namespace attnc::reference {

/// Parameters of a normaliser, and the rounding of each operation's result.
struct NormaliserArguments {
  double alpha = 2;                                       ///< the parameter of entmax
  double sink = -std::numeric_limits<double>::infinity(); ///< the sink score of softmax
  bool isFromLse = false; ///< softmax computes weights as exp(s - lse), like gradient kernels, instead of e / sum of e
  Rounding rounding = Rounding::None;
};

/// Attention weights of the unmasked scores of a row.
struct NormalisedRow {
  std::vector<double> weights;
  /// The lse of softmax, NaN if a score or the sink is NaN or +inf; -inf for a row without scores and sink, and for
  /// other normalisers.
  double lse = -std::numeric_limits<double>::infinity();
};

/// Cotangents of the scores and of the sink of a row.
struct NormaliserGradient {
  std::vector<double> scores;
  double sink = 0;
};

/// Returns the attention weights of `scores`, in the same order. No score may be -inf. A row without scores has no
/// weights. All weights are NaN if a score (or the sink of softmax) is NaN or, except with hard attention, +inf; `none`
/// and stick-breaking have no such rule. All weights of ratio are 0 if the sum of the scores is 0. Hard attention
/// chooses the first of equal scores.
NormalisedRow normalise(mlir::attn::Normaliser normaliser, llvm::ArrayRef<double> scores,
                        const NormaliserArguments &arguments);
/// Returns the cotangents of the scores and of the sink from `ofWeights` and `ofLse`, those of the weights and of lse.
/// `row` is the result of normalise() for the same scores and arguments. For hard attention, this is the
/// straight-through estimator: the gradient of softmax.
NormaliserGradient normaliserGradient(mlir::attn::Normaliser normaliser, llvm::ArrayRef<double> scores,
                                      const NormaliserArguments &arguments, const NormalisedRow &row,
                                      llvm::ArrayRef<double> ofWeights, double ofLse);

} // namespace attnc::reference
