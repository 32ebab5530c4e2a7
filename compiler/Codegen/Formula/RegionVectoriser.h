//===- RegionVectoriser.h - vectorised evaluation of formulas ---------------------------------------------------===//
//
// The regions of linalg.generic, attn.attend and attn.reduce are formulas on scalars. A RegionVectoriser evaluates one
// for L points of the iteration space at once, one in each vector lane. The generator of a loop nest binds the indices
// (how each varies over the lanes) and requests values. Only the ops that a value depends on are emitted, at the
// builder's insertion point, once (memoised).
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
//   row.evaluateAvailable(y);                             // emits all that does not depend on j, outside the loop
//   ... build the loop over j, insertion point inside ...
//   RegionVectoriser pair = row;                          // a copy starts with all bindings and values of `row`
//   pair.bindIndex(j, jValue);
//   Value v = pair.evaluate(y);                           // vector<16xf32>, or f32 if all lanes are equal
//
// Memoised values must dominate their uses: bind the values that a loop defines in a copy made inside the loop, and
// bind an index once. Loaded elements must not be overwritten while a vectoriser lives.
//
// **Uniform or vector.** evaluate() returns a scalar if the value is the same in all lanes, otherwise a vector of shape
// [L]; broadcast() makes a vector of a scalar. Indices stay affine in the lane as long as possible (LaneArithmetic.h),
// so that loads are contiguous, broadcasts, or strided gathers (LaneAccess.h). The values of indices and the products
// of sizes below one tensor must fit in i32.
//
// **Tails.** setActiveLanes(n) keeps lanes 0..n-1 active: loads of the others are masked off and their values are
// unspecified (but do not trap). At least one lane must be active. A division of integers by zero divides by one.
//
// **Rounding.** Products may be fused with sums, and a vector divided by a scalar is multiplied by its reciprocal: an
// error of one more unit in the last place (and infinity if the divisor is below 2^-128).
//
// **Out of range.** The front end has proved subscripts that are affine in indices. Every other subscript (from data,
// or selected) is clamped to the tensor, and an active lane out of range sets the status (KernelFrame.h). If a formula
// is evaluated for points that have no result, as a score before its mask, deferReports() suppresses the reports, and
// checkSubscripts() reports for the points that have one.
//
// **Producers.** An element of a tensor without a buffer is computed where it is used, if the producer is a pointwise
// linalg.generic, a linalg.fill or a view (ViewSubscripts.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/Combiner.h"
#include "compiler/Codegen/Formula/FormulaBindings.h"
#include "compiler/Codegen/Formula/LaneAccess.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc {

/// Whether every op below `region` can be evaluated; the reason names the op that cannot.
Verdict canVectorise(mlir::Region &region);

class RegionVectoriser : public FormulaBindings {
public:
  RegionVectoriser(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes)
      : lanes{builder, location, lanes} {}

  /// Out-of-range subscripts are reported there: !llvm.ptr to an i32.
  void bindStatus(mlir::Value pointer) { status = pointer; }
  /// Only lanes 0..count-1 (index) are active; null for all.
  void setActiveLanes(mlir::Value count);
  /// Deactivates lanes where `condition` (vector<Lxi1>) is false, possibly all of them.
  void restrictLanes(mlir::Value condition);
  /// Out-of-range subscripts of loads below `formula` are clamped, and not reported.
  void deferReports(mlir::Region &formula) { deferred.push_back(&formula); }

  /// The value in generated code, uniform or vector; of an index that differs between lanes, a vector of i32.
  mlir::Value evaluate(mlir::Value value);
  LaneIndex evaluateIndex(mlir::Value index);
  /// Emits now the parts of `value` that depend on nothing unbound.
  void evaluateAvailable(mlir::Value value);

  /// Reports the data-dependent subscripts of a formula that are out of range, in the active lanes. The last arguments
  /// of the formula run over all values below `sizes` (index). Computes nothing else.
  void checkSubscripts(mlir::Region &formula, mlir::ValueRange sizes = {});
  /// Subscript `number` of a load: zero, and the status set, if it comes from data and is out of range.
  LaneIndex clampedSubscript(mlir::tensor::ExtractOp op, unsigned number);
  /// i1: whether the clamped subscripts of a load select an element, which an empty tensor does not have; null if they
  /// always do. Loads test it themselves; a store to the same subscripts has to.
  mlir::Value hasElement(mlir::tensor::ExtractOp op);
  /// The element of `tensor` at `subscripts`; does not check the range.
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value sizeOf(mlir::Value tensor, int64_t dimension); ///< of its buffer or its producer
  /// Stores to the buffer of a tensor (`memref` as bound) in the active lanes: i1 as bytes, f32 in its storage type.
  void store(mlir::Value value, mlir::Value memref, llvm::ArrayRef<LaneIndex> subscripts) const {
    storeLanes(lanes, value, memref, subscripts, guard.mask);
  }

  mlir::Value broadcast(mlir::Value scalarOrVector) const { return lanes.broadcast(scalarOrVector); }
  mlir::Value broadcast(const LaneIndex &index) const { return lanes.broadcast(index); }
  mlir::Value laneMask() const { return guard.mask; } ///< vector<Lxi1>, or null if all lanes are active
  const LaneArithmetic &getLanes() const { return lanes; }

private:
  mlir::Value evaluateOp(mlir::Operation *op);
  mlir::Value evaluateOperand(mlir::BlockArgument argument);
  mlir::Value evaluateExtract(mlir::tensor::ExtractOp op);
  LaneIndex evaluateIndexOp(mlir::Operation *op);
  mlir::Value computeAt(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value computeGenericAt(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<LaneIndex> subscripts);

  LaneArithmetic lanes;
  AccessGuard guard;
  mlir::Value status;
  llvm::SmallVector<mlir::Region *, 2> deferred;
};

} // namespace attnc
