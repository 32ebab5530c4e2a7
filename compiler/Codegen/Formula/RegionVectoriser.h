//===- RegionVectoriser.h - a formula on scalars, evaluated on vectors ----------------------------------------===//
//
// The regions of linalg.generic, attn.attend and attn.reduce are formulas on scalars. This evaluates one for L points
// of the iteration space at once, one a vector lane. Whoever generates a loop nest says how each index varies over the
// lanes, and asks for values; only what they need is emitted, at the builder's insertion point, once (memoised).
//
//   score of attn.attend with lanes over queries, one key:         emitted, for L = 16:
//     ^(%h, %i, %j):                                                 uniform  h, j;  i = i0 + lane
//       %x = tensor.extract %bias[%h, %i, %j]                        gather of 16 at stride dim(bias, 2)
//       %s = tensor.extract %slope[%h]                               one scalar load
//       %d = arith.subi %i, %j                                       (i0 - j) + lane, no code
//       %c = arith.cmpi sge, %d, %zero                               splat(j - i0) compared with 0..15
//       %y = arith.mulf %x, %s                                       splat, vector multiply
//
//   RegionVectoriser row(builder, location, 16);
//   frame.bindTo(row);                                    // buffers of captured tensors
//   row.bindIndex(h, hValue); row.bindIndex(i, i0, 1);    // i0, i0+1, ... in the lanes
//   row.evaluateAvailable(y);                             // what does not depend on j is emitted here, outside the
//   loop
//   ... build the loop over j, insertion point inside ...
//   RegionVectoriser pair = row;                          // a copy starts with all that `row` knows
//   pair.bindIndex(j, jValue);
//   Value v = pair.evaluate(y);                           // vector<16xf32>, or f32 where it is the same in all lanes
//
// Memoised values must dominate where they are used: bind what a loop defines in a copy made inside the loop, and bind
// an index once. What is loaded must not be overwritten while a vectoriser lives.
//
// **Uniform or vector.** evaluate() returns a scalar where the value is the same in all lanes, otherwise a vector of
// shape [L]; broadcast() makes the latter of either. Indices stay affine in the lane (LaneIndex) as long as they can:
// then a load is contiguous, a broadcast, or a strided gather; otherwise they become vector<Lxi32>. The values of
// indices and the products of sizes below one tensor must fit in i32.
//
// **Tails.** setActiveLanes(n) keeps lanes 0..n-1: loads of the others are masked off and their values are unspecified
// (but harmless: no trap). At least one lane must be active. An integer divided by zero is itself.
//
// **Rounding.** Products may be fused with sums, and a vector divided by a scalar is multiplied by its reciprocal: an
// error of one more unit in the last place (and infinity where the divisor is below 2^-128).
//
// **Out of range.** Subscripts that are affine in indices have been proved by the front end. Any other one (it comes
// from data, or was selected) is clamped to the tensor, and an active lane out of range sets the status
// (KernelFrame.h). Where a formula is evaluated for points that do not count, as a score before it is masked, it is
// deferReports() that keeps it quiet, and checkSubscripts() that reports those that do.
//
// **Producers.** A tensor without a buffer is computed at the point where it is wanted if its producer is a pointwise
// linalg.generic, a linalg.fill, a linalg.transpose, a tensor.extract_slice, or a reshape of static shape.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace attnc {

/// An index as it varies over the lanes: base + lane * step, or `lanes` where it is not affine.
struct LaneIndex {
  mlir::Value base; ///< index; null where `lanes` is set
  int64_t step = 0;
  mlir::Value lanes;  ///< vector<Lxi32>
  bool proved = true; ///< in range by the front end's proof
  bool isUniform() const { return !lanes && step == 0; }
  bool operator==(const LaneIndex &) const = default;
};

class RegionVectoriser {
public:
  RegionVectoriser(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes);

  /// Whether every op below `region` can be evaluated; the reason names the op that cannot.
  static Verdict canEvaluate(mlir::Region &region);

  //===------------------------------------------ what is known -------------------------------------------------===//

  /// `index` (any value of type index) is scalarBase + lane * step.
  void bindIndex(mlir::Value index, mlir::Value scalarBase, int64_t step = 0);
  void bindIndex(mlir::Value index, LaneIndex value);
  /// `value` (f32, i32 or i1) is this scalar, or this vector of shape [L].
  void bindValue(mlir::Value value, mlir::Value vectorOrScalar);
  /// `tensor` lies in this memref (memRefOf its type or a narrower one; any strides with a unit innermost one). One of
  /// lower rank is addressed by the last subscripts alone: one row of the tensor.
  void bindBuffer(mlir::Value tensor, mlir::Value memref);
  /// The element of `tensor` at these subscripts.
  void bindElement(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts, mlir::Value value);
  /// The iteration indices of `op`: linalg.index d, and where its block arguments are loaded from. A block argument may
  /// also be bound by bindValue (an accumulator).
  void bindIterations(mlir::linalg::GenericOp op, llvm::ArrayRef<LaneIndex> indices);
  /// Where out-of-range subscripts are reported: !llvm.ptr to an i32.
  void bindStatus(mlir::Value pointer) { status = pointer; }
  /// Only lanes 0..count-1 (index) are wanted; null for all.
  void setActiveLanes(mlir::Value count);
  /// Of the active lanes those of `wanted` (vector<Lxi1>) alone, or none of them.
  void restrictLanes(mlir::Value wanted);
  /// What loads below `formula` have out of range is clamped, and not reported.
  void deferReports(mlir::Region &formula) { deferred.push_back(&formula); }

  //===------------------------------------------ what is wanted ------------------------------------------------===//

  mlir::Value evaluate(mlir::Value value);
  LaneIndex evaluateIndex(mlir::Value index);
  /// The same value in each of several vectorisers, such as a register tile of 4 keys times 4 vectors of queries. Loops
  /// of attn.reduce are shared: one loop with an accumulator for each.
  static llvm::SmallVector<mlir::Value> evaluateTogether(llvm::ArrayRef<RegionVectoriser *> tile, mlir::Value value);
  /// Emits now those parts of `value` that depend on nothing unbound.
  void evaluateAvailable(mlir::Value value);
  /// Whether `value` can differ between lanes, as far as is known without emitting anything.
  bool varies(mlir::Value value);
  /// Whether all that `value` depends on is bound.
  bool isAvailable(mlir::Value value);

  /// Reports the subscripts of a formula that come from data and are out of range, in the active lanes, for all values
  /// of its last arguments below `sizes` (index). Computes nothing else.
  void checkSubscripts(mlir::Region &formula, mlir::ValueRange sizes = {});
  /// Subscript `number` of a load; zero, and the status set, where it comes from data and is out of range.
  LaneIndex clampedSubscript(mlir::tensor::ExtractOp op, unsigned number);
  /// i1: whether the clamped subscripts of a load name an element, which a tensor without elements lacks; null if they
  /// always do. A store there must ask; loads do by themselves.
  mlir::Value hasPlaces(mlir::tensor::ExtractOp op);
  /// The element of `tensor` at `subscripts`; does not check the range.
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value sizeOf(mlir::Value tensor, int64_t dimension); ///< of its buffer, or of what computes it
  /// Stores to the buffer of a tensor (`memref` as bound) in the active lanes; i1 becomes bytes, f32 what is stored.
  void store(mlir::Value value, mlir::Value memref, llvm::ArrayRef<LaneIndex> subscripts);
  /// A scalar in all lanes; a vector as it is.
  mlir::Value broadcast(mlir::Value scalarOrVector);
  mlir::Value broadcast(const LaneIndex &index); ///< vector<Lxi32>

  mlir::VectorType vectorOf(mlir::Type element) const; ///< [L]; of i32 where `element` is index
  mlir::Value laneMask() const { return mask; }        ///< vector<Lxi1>, or null where all lanes are active
  mlir::OpBuilder &getBuilder() const { return builder; }

private:
  using Subscripts = llvm::SmallVector<LaneIndex, 4>;

  // RegionVectoriser.cpp: values
  mlir::Value evaluateOp(mlir::Operation *op);
  mlir::Value evaluateOperand(mlir::BlockArgument argument);
  mlir::Value evaluateElementwise(mlir::Operation *op);
  mlir::Value multiplyByReciprocal(mlir::Value dividend, mlir::Value divisor);
  mlir::Value toInteger(mlir::Value real, mlir::Type type);
  mlir::Value clone(mlir::Operation *op, mlir::ValueRange operands, mlir::Type resultType);
  mlir::Value splat(int64_t constant, mlir::Type type);

  // RegionVectoriserIndex.cpp: indices
  LaneIndex evaluateIndexOp(mlir::Operation *op);
  LaneIndex evaluateIndexArithmetic(mlir::Operation *op);
  LaneIndex evaluateSelect(mlir::arith::SelectOp op);
  LaneIndex evaluateAffine(mlir::AffineExpr expression, llvm::ArrayRef<LaneIndex> dims,
                           llvm::ArrayRef<LaneIndex> symbols);
  LaneIndex uniform(int64_t constant);
  LaneIndex add(const LaneIndex &a, const LaneIndex &b);
  LaneIndex subtract(const LaneIndex &a, const LaneIndex &b);
  LaneIndex multiply(const LaneIndex &a, const LaneIndex &b);
  LaneIndex scale(const LaneIndex &a, int64_t factor);
  LaneIndex floorDivide(const LaneIndex &a, const LaneIndex &b);
  mlir::Value compareIndices(mlir::arith::CmpIOp op);
  mlir::Value toI32(mlir::Value index);
  mlir::Value laneNumbers(int64_t step);

  // RegionVectoriserMemory.cpp: tensors
  mlir::Value evaluateExtract(mlir::tensor::ExtractOp op);
  LaneIndex clampedToSize(const LaneIndex &subscript, mlir::Value size, bool isReported);
  mlir::Value loadScalar(mlir::Value memref, mlir::ValueRange bases);
  bool checkAvailable(mlir::Region &formula, llvm::DenseSet<mlir::Operation *> &checked);
  void checkAll(mlir::Region &formula, mlir::ValueRange sizes, llvm::DenseSet<mlir::Operation *> &checked);
  void reportOutOfRange(mlir::Value isOutOfRange);
  mlir::Value loadFromBuffer(mlir::Value memref, mlir::Type element, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value loadVector(mlir::Value memref, mlir::VectorType type, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value laneOffsets(mlir::Value memref, llvm::ArrayRef<LaneIndex> subscripts);
  llvm::SmallVector<mlir::Value> basesOf(llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value maskOrAll();
  mlir::Value computeAt(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value computeGenericAt(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<LaneIndex> subscripts);
  Subscripts subscriptsOfSlice(mlir::tensor::ExtractSliceOp op, llvm::ArrayRef<LaneIndex> subscripts);
  Subscripts subscriptsOfExpand(mlir::tensor::ExpandShapeOp op, llvm::ArrayRef<LaneIndex> subscripts);
  Subscripts subscriptsOfCollapse(mlir::tensor::CollapseShapeOp op, llvm::ArrayRef<LaneIndex> subscripts);

  // RegionVectoriserReduce.cpp: loops, and what can be told without emitting
  static void reduceTogether(llvm::ArrayRef<RegionVectoriser *> tile, mlir::attn::ReduceOp op);
  static void yieldReduced(llvm::ArrayRef<RegionVectoriser *> tile, mlir::attn::ReduceOp op, mlir::ValueRange indices,
                           mlir::ValueRange accumulators);
  bool isAvailable(mlir::Value value, llvm::DenseMap<mlir::Value, bool> &seen);
  bool varies(mlir::Value value, llvm::DenseMap<mlir::Value, bool> &seen);
  void evaluateAvailable(mlir::Value value, llvm::DenseSet<mlir::Value> &seen);

  mlir::OpBuilder &builder;
  mlir::Location location;
  int64_t lanes;
  mlir::Value mask, status;
  mlir::Value anyLane; ///< i1: whether a lane is active; null where one must be
  mlir::Value isThere; ///< i1: whether what is loaded now has elements; null where it must
  llvm::SmallVector<mlir::Region *, 2> deferred;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, LaneIndex> indices;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Operation *, Subscripts> iterations;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Subscripts, mlir::Value>>> loads;
};

/// The combiner of attn.reduce applied to two values of the same type, and its neutral element as a constant.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind, mlir::Value a,
                    mlir::Value b);
mlir::Value neutralElement(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                           mlir::Type type);

} // namespace attnc
