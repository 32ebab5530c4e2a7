//===- AttendRow.h - one row of attention -----------------------------------------------------------------------===//
//
// Attention and its gradient go row by row: all scores, then the weights, as the definition says
// (dialects/Attn/AttnOps.td).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Formula.h"
#include "compiler/Reference/Normalisers.h"
#include "dialects/Attn/Attn.h"

namespace attnc::reference {

/// The regions of one attention op, bound to what they capture, and what normalises its scores.
struct AttendFormulas {
  llvm::FailureOr<Formula> score = llvm::failure(), mask = llvm::failure(), weight = llvm::failure(),
                           value = llvm::failure(), sink = llvm::failure();
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax;
  std::optional<double> alpha;
  Rounding rounding = Rounding::None;
  bool isGradient = false;

  /// `Op` is attn.attend or its gradient.
  template <typename Op>
  llvm::LogicalResult read(Op op, const Environment &environment, Rounding rounding, Fault &fault) {
    auto readInto = [&](mlir::Region &region, llvm::FailureOr<Formula> &formula) -> llvm::LogicalResult {
      if (region.empty())
        return llvm::success();
      formula = Formula::read(region, environment, rounding, fault);
      return formula;
    };
    this->rounding = rounding;
    isGradient = std::is_same_v<Op, mlir::attn::AttendGradientOp>;
    normaliser = op.getNormaliser();
    if (op.getAlpha())
      alpha = op.getAlpha()->convertToDouble();
    return llvm::success(succeeded(readInto(op.getScore(), score)) && succeeded(readInto(op.getMask(), mask)) &&
                         succeeded(readInto(op.getWeight(), weight)) && succeeded(readInto(op.getValue(), value)) &&
                         succeeded(readInto(op.getSink(), sink)));
  }
};

/// The keys of one row that its mask keeps and whose score is not -inf.
struct AttendRow {
  llvm::SmallVector<double> outer;
  std::vector<llvm::SmallVector<double>> keys;
  std::vector<double> scores;
  NormaliserArguments arguments;
  NormalisedRow normalised;    ///< p, lse
  std::vector<double> weights; ///< p' = weight(p)

  /// -sum of p log p.
  double entropy() const;
  /// The places, in `keys`, of the `count` largest scores at most: the largest first, of equal ones the first.
  std::vector<size_t> largest(int64_t count) const;

  /// Fills in all of it for the row `outer`.
  llvm::LogicalResult compute(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  /// The cotangents of the scores and of the sink from those of p and lse.
  NormaliserGradient differentiate(const AttendFormulas &formulas, llvm::ArrayRef<double> ofWeights,
                                   double ofLse) const;
  /// The arguments of score and mask; of value with `indices` behind; of weight with p before.
  llvm::SmallVector<double> pair(size_t key, llvm::ArrayRef<int64_t> indices = {}) const;
  llvm::SmallVector<double> weighted(size_t key) const;

private:
  llvm::LogicalResult score(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  llvm::LogicalResult readArguments(AttendFormulas &formulas);
  llvm::LogicalResult weigh(AttendFormulas &formulas);
};

/// `b` behind `a`.
llvm::SmallVector<int64_t> joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `point` without the dimensions `summed`.
llvm::SmallVector<int64_t> unsummed(llvm::ArrayRef<int64_t> point, llvm::ArrayRef<int64_t> summed);
/// Key indices as subscripts.
llvm::SmallVector<int64_t> wholeNumbers(llvm::ArrayRef<double> key);
/// Result dimension d is iteration dimension layout[d].
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> tuple, std::optional<llvm::ArrayRef<int64_t>> layout);

} // namespace attnc::reference
