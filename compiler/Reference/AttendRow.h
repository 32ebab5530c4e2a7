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
/// op may lack regions; failure() stands for the formula of an absent region.
struct AttendFormulas {
  llvm::FailureOr<Formula> score = llvm::failure(), mask = llvm::failure(), weight = llvm::failure(),
                           value = llvm::failure(), sink = llvm::failure();
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax;
  std::optional<double> alpha; ///< the parameter of entmax; null: its default
  Rounding rounding = Rounding::None;
  bool isGradient = false; ///< the op is attn.attend_gradient

  /// Reads the formulas and parameters of `op`, an attn.attend or attn.attend_gradient. `environment` has the arrays of
  /// captured values; it and `fault` must outlive this object. Fails, with an error in `fault`, if a region has an
  /// unsupported op.
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
  llvm::SmallVector<double> outer;             ///< the outer indices of the row; the caller sets them
  std::vector<llvm::SmallVector<double>> keys; ///< the key indices of each key, in row-major order
  std::vector<double> scores;                  ///< by key, as weights below
  NormaliserArguments arguments;
  NormalisedRow normalised;    ///< the results p and lse of the normaliser
  std::vector<double> weights; ///< p' = weight(p); p if the op has no weight formula

  /// The entropy of the row, -sum of p log |p|; NaN if lse or a p is NaN.
  double entropy() const;
  /// Positions in `keys` of the `count` largest scores, or of all if there are fewer, in descending order of score.
  /// Equal scores keep the order of keys; NaN scores are omitted.
  std::vector<size_t> largest(int64_t count) const;

  /// Computes all members except `outer`, which must be set. `keySizes` are the extents of the key indices. Fails if a
  /// formula fails, which records the error.
  llvm::LogicalResult compute(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  /// Vector-Jacobian product of the normaliser: the cotangents of the scores and of the sink from those of p
  /// (`ofWeights`, by key) and of lse. Requires compute().
  NormaliserGradient differentiate(const AttendFormulas &formulas, llvm::ArrayRef<double> ofWeights,
                                   double ofLse) const;
  /// The arguments of the score and mask formulas for the key at position `key`: outer and key indices. With the
  /// feature indices `indices` appended, those of the value formula.
  llvm::SmallVector<double> pair(size_t key, llvm::ArrayRef<int64_t> indices = {}) const;
  llvm::SmallVector<double> weighted(size_t key) const; ///< arguments of the weight formula: p, then pair(key)

private:
  llvm::LogicalResult score(AttendFormulas &formulas, llvm::ArrayRef<int64_t> keySizes);
  llvm::LogicalResult readArguments(AttendFormulas &formulas);
  llvm::LogicalResult weigh(AttendFormulas &formulas);
};

/// The concatenation of `a` and `b`.
llvm::SmallVector<int64_t> joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// The index tuple `point` without its elements at the positions `summed`.
llvm::SmallVector<int64_t> unsummed(llvm::ArrayRef<int64_t> point, llvm::ArrayRef<int64_t> summed);
/// The indices `key` as integers.
llvm::SmallVector<int64_t> wholeNumbers(llvm::ArrayRef<double> key);
/// The permuted tuple, whose element d is tuple[layout[d]]; without a layout, the tuple itself.
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> tuple, std::optional<llvm::ArrayRef<int64_t>> layout);

} // namespace attnc::reference
