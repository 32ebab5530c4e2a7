//===- Normaliser.h - code of normalisers: from scores to attention weights ----------------------------------===//
//
// The interface of normalisers to the algorithms of attention (CPU: AttendPrefill.h, AttendDecode.h; GPU:
// AttendGeneral.h, AttendTiles.h) and of its gradient (PairwiseGradient.h). Each normaliser is one file beside this
// one, in a table of Normaliser.cpp; dialects/Attn/AttnOps.td defines it. There are two views of a row.
//
// **Block by block** (online softmax), with rows in the lanes (in decode: keys). A row carries a maximum m and a sum l
// over the blocks of keys. For each block with the maximum m', earlier sums are multiplied with `correction(m, m')`;
// then `weigh(s, m', l)` returns the weight of each score s and the next sum. `order` is one of
//
//   Factor     p = weight * factor(l), which is known after the row's last key: values are summed in one pass and
//              scaled once; results that need p itself need a second pass
//   AtOnce     p = weight: one pass computes all
//   AllScores  all scores of the rows are materialised (memory linear in the number of keys); `weighMaterialised` turns
//              them into weights
//
// Unless it `followsKeys`, l is a sum over keys: splits of decode and threads of a device have partial sums, which are
// added, and the sum of `start` counts once. A score of `droppedScore` has the weight 0 and adds nothing to l, because
// tensor cores multiply dropped pairs too.
//
// **All keys of one row** in the lanes, materialised: `weighRow` turns scores into weights, `differentiateRow` turns
// the cotangents of the weights into those of the scores.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"
#include <limits>
#include <memory>

namespace attnc {

/// The builder of a normaliser's code, and its target.
struct NormaliserCode {
  using Value = mlir::Value;
  LoopBuilder &loops;
  const Target &target;

  /// The number, as a scalar or a vector like `other`.
  Value like(Value other, double number) const;
  /// 1 / x, and 0 for 0.
  Value inverse(Value x) const;
  /// 2^x of vectors x <= 0.
  Value exp2(Value x) const;
  /// log2 |x|, and 0 for 0.
  Value log2OfSize(Value x) const;
  Value sumOfLanes(Value vector) const; ///< a scalar
};

/// Materialised scores: `steps` groups of `vectors` vectors from `first` on. Each lane is a row of its own, or the
/// lanes are keys of one row.
struct MaterialisedScores {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  const NormaliserCode &code;
  Value memref, first, steps;
  int64_t vectors;
  bool keysInLanes;

  /// Visits all of them in order: `body(score, vector, carried)` returns the new value of the score (null: unchanged)
  /// and updates the carried values.
  using Body = llvm::function_ref<Value(Value score, int64_t vector, Values &carried)>;
  Values sweep(ValueRange start, Body body) const;
  /// The rows' sums of a vector: over the lanes, if they are keys.
  Value total(Value vector) const;
};

/// One row with materialised scores, keys in the lanes. Dropped keys have the normaliser's `droppedScore`; lanes past
/// the end are dropped keys.
struct MaterialisedRow {
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  NormaliserCode code;
  Value begin, end; ///< of its keys
  Value weights;    ///< [key]: s (unscaled), then p
  Value cotangents; ///< [key]: dp, then ds
  Value slopes;     ///< [key]: of the normaliser, if it `keepsSlopes`
  Value lse, ofLse; ///< scalars: as saved, and its cotangent; null if there is none
  Value sink;       ///< a scalar (unscaled), or null
  Value ofRow;      ///< a scalar that weighRow passes to differentiateRow

  MaterialisedScores scores() const;
  /// Visits the vectors of keys, by offset, in order.
  Values sweep(mlir::ValueRange start, llvm::function_ref<Values(Value place, mlir::ValueRange carried)> body) const;
  Value load(Value numbers, Value place) const { return code.loops.load(numbers, mlir::ValueRange{place}); }
  void store(Value vector, Value numbers, Value place) const {
    code.loops.store(vector, numbers, mlir::ValueRange{place});
  }
  struct CotangentSums {
    Value weighted, ofWeights; ///< scalars: sum of q dp, sum of q
  };
  CotangentSums sumCotangents(Value q) const;
  Value meanCotangent(Value q) const; ///< sum of q dp / sum of q
  /// ds = factor (dp - mean)
  void subtract(Value mean, llvm::function_ref<Value(Value place)> factor) const;
  /// ds = q (dp - meanCotangent(q))
  void centre(Value q) const;
};

/// The code and the properties of one normaliser.
class Normaliser {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using Code = NormaliserCode;
  virtual ~Normaliser() = default;

  static std::shared_ptr<const Normaliser> of(mlir::attn::AttendOp op);

  //===------------------------------------------ properties ----------------------------------------------------===//

  enum class Order { Factor, AtOnce, AllScores };
  virtual Order order() const = 0;
  virtual int64_t flopsPerScore() const = 0;
  /// The factor by which the caller multiplies scores and sinks before it passes them to the code for blocks of keys;
  /// the code for one row gets unscaled ones.
  virtual double scoreScale() const { return 1; }
  /// The score of a dropped pair.
  virtual double droppedScore() const { return -std::numeric_limits<double>::infinity(); }
  virtual bool usesMaximum() const { return false; } ///< m; otherwise it is not computed
  /// Whether a weight depends on the sum over the keys before it.
  virtual bool followsKeys() const { return false; }
  /// Whether its gradient is ds = p (dp - sum of p dp + dlse), p = exp(s - lse), which the tiled algorithm computes.
  virtual bool hasTiledGradient() const { return false; }
  virtual bool keepsSlopes() const { return false; } ///< weighRow stores MaterialisedRow::slopes for differentiateRow

  //===------------------------------------------ block by block ------------------------------------------------===//

  struct Carriers {
    Value largest, sum; ///< m, l
  };
  struct Weighed {
    Value weight, sum;
  };
  /// The carriers before the first key; `sink` (scaled) may be null.
  virtual Carriers start(const Code &code, Value sink) const;
  /// The factor of earlier sums when the maximum `before` becomes `largest`; null for 1.
  virtual Value correction(const Code &code, Value before, Value largest) const;
  /// The weight of a score, and the next l; `carriers` has the block's maximum and l before the score.
  virtual Weighed weigh(const Code &code, Value score, const Carriers &carriers) const;
  /// With Order::Factor: the factor of the weights of a row whose l is `sum`.
  virtual Value factor(const Code &code, Value sum) const { return code.inverse(sum); }
  /// The binary logarithm of a weight, for the entropy; any finite number for a weight of 0.
  virtual Value logWeight(const Code &code, Value score, Value weight, const Carriers &carriers) const;
  /// The number that a correction adds to the logarithms of earlier weights; null for 0.
  virtual Value logCorrection(const Code &code, Value before, Value largest) const;
  /// The entropy of a row. `logs` is the sum of w log2 w over the weights before its factor, or over the final ones if
  /// there is no factor; `sink` (scaled) may be null.
  Value entropy(const Code &code, const Carriers &carriers, Value logs, Value sink) const;
  /// The natural logarithm of the sum of exponentials; for softmax only.
  virtual Value lse(const Code &code, const Carriers &carriers) const;
  /// Turns materialised scores into weights before the factor of each row; returns the factors, for each vector.
  /// `largest` are the rows' maxima. With Order::AllScores only.
  virtual Values weighMaterialised(const MaterialisedScores &scores, ValueRange largest) const;

  //===------------------------------------------ one row -------------------------------------------------------===//

  virtual void weighRow(MaterialisedRow &row) const = 0;
  /// Returns the cotangent of the sink, a scalar, if the row has one.
  virtual Value differentiateRow(MaterialisedRow &row) const = 0;
};

// One normaliser in each file.
std::shared_ptr<const Normaliser> makeSoftmax();
std::shared_ptr<const Normaliser> makeRatio();
std::shared_ptr<const Normaliser> makeNone();
std::shared_ptr<const Normaliser> makeEntmax(double alpha);
std::shared_ptr<const Normaliser> makeHard();
std::shared_ptr<const Normaliser> makeStickBreaking();

} // namespace attnc
