//===- Normaliser.h - code of normalisers: from scores to attention weights ---------------------------------------===//
//
// A normaliser is the function from a row of scores s to its attention weights p: softmax, ratio, none, entmax, hard or
// stick-breaking (defined in dialects/Attn/AttnOps.td). A class derived from Normaliser generates the code of one of
// them, in a file of this folder. The algorithms of attention (CPU: AttendPrefill.h, AttendDecode.h; GPU:
// AttendGeneral.h, AttendTiles.h) and of its gradient (PairwiseGradient.h) use the interface in two ways.
//
// **Block by block**, as online softmax, with rows in the lanes (in decode: keys). For each row, a maximum m and a sum
// l are carried over the blocks of keys. When a block raises the maximum to m', earlier sums are multiplied by
// `correction(m, m')`. Then `weigh(s, {m', l})` returns a number w, the weight, for each score s, and the next sum.
// `order` says how p follows from w:
//
//   Factor     p = w * factor(l), and l is known after the row's last key: values are summed in one pass and scaled
//              once; results that need p itself need a second pass
//   AtOnce     p = w: one pass computes all
//   AllScores  all scores of the rows are materialised, in memory linear in the number of keys; `weighMaterialised`
//              turns them into w, and p = w * a factor that it returns
//
// Unless `followsKeys`, l is a sum over keys: splits of decode and threads of a device compute partial sums, which are
// added; the sum of `start` is added once. A dropped pair has the score `droppedScore`, for which w is 0 and l does not
// change, because tensor cores multiply dropped pairs too.
//
// **One row at once**, materialised, with its keys in the lanes, for the gradient: `weighRow` turns scores into
// weights, and `differentiateRow` turns the cotangents of the weights into those of the scores.
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

  /// A constant f32, as a scalar or a vector like `other`.
  Value like(Value other, double number) const;
  /// 1 / x, and 0 for x = 0; a scalar or a vector.
  Value inverse(Value x) const;
  /// 2^x for a vector of x <= 0 (AttendExp.h).
  Value exp2(Value x) const;
  /// log2 |x|, and 0 for x = 0; a scalar or a vector.
  Value log2OfMagnitude(Value x) const;
  Value sumOfLanes(Value vector) const; ///< the sum of all lanes, a scalar
};

/// Scores in a flat buffer `memref` (f32), from element `first` (index) on: `steps` (index) groups, each of `vectors`
/// vectors. If `keysInLanes`, all lanes are keys of one row. Otherwise each lane of each of the `vectors` vectors is a
/// row, and a group has the scores of these rows for one key.
struct MaterialisedScores {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  const NormaliserCode &code;
  Value memref, first, steps;
  int64_t vectors;
  bool keysInLanes;

  /// Emits a loop over all score vectors in order. body(score, vector, carried) receives a vector of scores, its number
  /// within the group, and the loop-carried values, which start as `start`. It returns the vector to store in place of
  /// the scores (null: none) and updates the carried values. Returns the values after the last vector.
  using Body = llvm::function_ref<Value(Value score, int64_t vector, Values &carried)>;
  Values sweep(ValueRange start, Body body) const;
  /// From a vector of sums over the groups, the sum of each row, as a vector: the sum over all lanes if they are keys
  /// of one row, otherwise the vector itself.
  Value total(Value vector) const;
};

/// One row of attention, for the gradient. The buffers are flat f32 memrefs, indexed by key number, and padded to whole
/// vectors from `begin` on. A dropped key has the normaliser's `droppedScore` and the cotangent 0, and so has a lane
/// past the end. After weighRow, the weights of lanes past the end are unspecified.
struct MaterialisedRow {
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  NormaliserCode code;
  Value begin, end; ///< the row's keys are begin to end - 1 (index)
  Value weights;    ///< buffer: scores s (unscaled); after weighRow, attention weights p
  Value cotangents; ///< buffer: cotangents dp of the weights; after differentiateRow, cotangents ds of the scores
  Value slopes;     ///< buffer for the normaliser's own numbers, if it `keepsSlopes`
  Value lse, ofLse; ///< scalars: the saved statistic lse, which softmax requires, and its cotangent; null if none
  Value sink;       ///< the row's sink, an unscaled scalar; null if there is none
  Value ofRow;      ///< a scalar that weighRow passes to differentiateRow; set by weighRow

  /// The buffer `weights` as materialised scores with keys in the lanes. The result refers to `code` of this row.
  MaterialisedScores scores() const;
  /// Emits a loop over the vectors of keys in order; `place` is the number (index) of a vector's first key.
  Values sweep(mlir::ValueRange start, llvm::function_ref<Values(Value place, mlir::ValueRange carried)> body) const;
  Value load(Value numbers, Value place) const { return code.loops.load(numbers, mlir::ValueRange{place}); }
  void store(Value vector, Value numbers, Value place) const {
    code.loops.store(vector, numbers, mlir::ValueRange{place});
  }
  // In these, q is a buffer like `weights`, with 0 in lanes past the end, and sums are over the row's keys.
  struct CotangentSums {
    Value weighted, ofWeights; ///< scalars: the sum of q dp, and the sum of q
  };
  CotangentSums sumCotangents(Value q) const;
  Value meanCotangent(Value q) const; ///< a scalar: the sum of q dp, divided by the sum of q; 0 if the latter is 0
  /// Replaces dp by ds = factor (dp - mean); `mean` is a scalar, and factor(place) returns a vector.
  void subtract(Value mean, llvm::function_ref<Value(Value place)> factor) const;
  /// Replaces dp by ds = q (dp - meanCotangent(q)).
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

  /// The normaliser of an attn.attend.
  static std::shared_ptr<const Normaliser> of(mlir::attn::AttendOp op);

  //===------------------------------------------ properties ----------------------------------------------------===//

  enum class Order { Factor, AtOnce, AllScores }; ///< as described above
  virtual Order order() const = 0;
  virtual int64_t flopsPerScore() const = 0; ///< floating-point operations for a score, for KernelCost
  /// The caller multiplies scores and sinks by this number before it passes them to the code for blocks of keys
  /// ("scaled"). The code for one row receives unscaled ones.
  virtual double scoreScale() const { return 1; }
  /// The score of a dropped pair.
  virtual double droppedScore() const { return -std::numeric_limits<double>::infinity(); }
  virtual bool usesMaximum() const { return false; } ///< whether the caller has to compute the maximum m
  /// Whether a weight depends on the sum l over the keys before it, so that keys must be visited in order.
  virtual bool followsKeys() const { return false; }
  /// Whether p = exp(s - lse) and the gradient is ds = p (dp - sum of p dp + dlse), which the tiled algorithm computes.
  virtual bool hasTiledGradient() const { return false; }
  /// Whether weighRow() stores numbers in MaterialisedRow::slopes.
  virtual bool keepsSlopes() const { return false; }

  //===------------------------------------------ block by block ------------------------------------------------===//

  // Values are vectors of f32, one row (in decode: key) in each lane, except where a comment permits scalars.

  struct Carriers {
    Value largest, sum; ///< m and l
  };
  struct Weighed {
    Value weight, sum; ///< w and the next l
  };
  /// The carriers before the first key; `sink` (scaled) may be null. Only softmax may have a sink. Without one, m is
  /// the lowest finite f32, so that the difference of the score of a dropped pair and m is not NaN.
  virtual Carriers start(const Code &code, Value sink) const;
  /// The number by which earlier sums are multiplied when the maximum `before` becomes `largest`; null for 1.
  virtual Value correction(const Code &code, Value before, Value largest) const;
  /// The weight of a score (scaled), and the next l; `carriers` has the block's maximum, and l before this score.
  virtual Weighed weigh(const Code &code, Value score, const Carriers &carriers) const;
  /// The factor of the weights of a row whose l is `sum`, a scalar or a vector. With Order::Factor.
  virtual Value factor(const Code &code, Value sum) const { return code.inverse(sum); }
  /// The binary logarithm of a weight, for the entropy; any finite number for a weight of 0.
  virtual Value logWeight(const Code &code, Value score, Value weight, const Carriers &carriers) const;
  /// The number that a correction adds to the logarithms of earlier weights; null for 0.
  virtual Value logCorrection(const Code &code, Value before, Value largest) const;
  /// The entropy of a row in nats, after its last key. `logs` is the sum of w log2 w over the weights w before their
  /// factor, or over the final weights if order() is not Factor; `sink` (scaled) may be null. With Order::Factor, 0 for
  /// a row whose l is 0.
  Value entropy(const Code &code, const Carriers &carriers, Value logs, Value sink) const;
  /// The natural logarithm of the sum of exponentials (unscaled), with that of the sink, after the last key; -inf for a
  /// row without unmasked keys and sink. The carriers may be scalars. For softmax only.
  virtual Value lse(const Code &code, const Carriers &carriers) const;
  /// Replaces materialised scores by weights w and returns the factors of the rows, one vector for each of
  /// scores.vectors. `largest` has the rows' maxima, one vector for each. With Order::AllScores only.
  virtual Values weighMaterialised(const MaterialisedScores &scores, ValueRange largest) const;

  //===------------------------------------------ one row -------------------------------------------------------===//

  /// Replaces the scores in row.weights by attention weights.
  virtual void weighRow(MaterialisedRow &row) const = 0;
  /// After weighRow(): replaces dp in row.cotangents by ds; that of dropped keys and of lanes past the end is
  /// unspecified, so the caller ignores it. Returns the cotangent of the sink, in all lanes of a vector; null if the
  /// row has no sink.
  virtual Value differentiateRow(MaterialisedRow &row) const = 0;
};

// Normaliser::of() calls these; each is defined in a file of this folder.
std::shared_ptr<const Normaliser> makeSoftmax();
std::shared_ptr<const Normaliser> makeRatio();
std::shared_ptr<const Normaliser> makeNone();
std::shared_ptr<const Normaliser> makeEntmax(double alpha);
std::shared_ptr<const Normaliser> makeHard();
std::shared_ptr<const Normaliser> makeStickBreaking();

} // namespace attnc
