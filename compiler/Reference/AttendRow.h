//===- AttendRow.h - reference attention of one query row ---------------------------------------------------------===//
//
// The oracle computes attention and its gradient row by row: all scores of the row, then its attention weights. The
// formulas are those of dialects/Attn/AttnOps.td.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Formula.h"
#include "compiler/Reference/Normalisers.h"
#include "dialects/Attn/Attn.h"

namespace attnc::reference {

/// The formulas of one attention op, bound to the values that they capture, and the parameters of its normaliser. The
/// formula of an empty region is a failure.
struct AttendFormulas {
  llvm::FailureOr<Formula> score = llvm::failure(), mask = llvm::failure(), weight = llvm::failure(),
                           value = llvm::failure(), sink = llvm::failure();
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax;
  std::optional<double> alpha;
  Rounding rounding = Rounding::None;
  bool isGradient = false;

  /// Reads the formulas and parameters of `op`, which is attn.attend or its gradient.
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

/// The unmasked keys of one row whose score is not -inf, with their scores and attention weights.
struct AttendRow {
  llvm::SmallVector<double> outer;
  std::vector<llvm::SmallVector<double>> keys;
  std::vector<double> scores;
  NormaliserArguments arguments;
  NormalisedRow normalised;    ///< p, lse
  std::vector<double> weights; ///< p' = weight(p)

  /// -sum of p log p; NaN if lse is NaN.
  double entropy() const;
  /// Positions in `keys` of the `count` largest scores, or of all, in descending order; equal scores keep the order of
  /// keys, and NaN is omitted.
  std::vector<size_t> largest(int64_t count) const;

  /// Computes all other members for the row with the outer indices `outer`. Fails if a formula fails, with the fault
  /// that it records.
  llvm::LogicalResult compute(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  /// Vector-Jacobian product of the normaliser: cotangents of the scores and of the sink from those of p and lse.
  NormaliserGradient differentiate(const AttendFormulas &formulas, llvm::ArrayRef<double> ofWeights,
                                   double ofLse) const;
  /// The arguments of the score and mask formulas; with the feature indices appended, those of the value formula.
  llvm::SmallVector<double> pair(size_t key, llvm::ArrayRef<int64_t> indices = {}) const;
  llvm::SmallVector<double> weighted(size_t key) const; ///< arguments of the weight formula: p, then pair(key)

private:
  llvm::LogicalResult score(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  llvm::LogicalResult readArguments(AttendFormulas &formulas);
  llvm::LogicalResult weigh(AttendFormulas &formulas);
};

/// The concatenation of `a` and `b`.
llvm::SmallVector<int64_t> joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `point` without the dimensions `summed`.
llvm::SmallVector<int64_t> unsummed(llvm::ArrayRef<int64_t> point, llvm::ArrayRef<int64_t> summed);
/// Key indices as integers.
llvm::SmallVector<int64_t> wholeNumbers(llvm::ArrayRef<double> key);
/// The tuple with element layout[d] at position d; without a layout, the tuple itself.
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> tuple, std::optional<llvm::ArrayRef<int64_t>> layout);

} // namespace attnc::reference
