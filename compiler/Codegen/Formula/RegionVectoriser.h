//===- RegionVectoriser.h - vectorised evaluation of formulas -----------------------------------------------------===//
//
// The regions of linalg.generic, attn.attend and attn.reduce are formulas on scalars. A RegionVectoriser evaluates one
// for L points of the iteration space at once, one in each vector lane. The generator of a loop nest binds the indices,
// as numbers that are equal in all lanes or increase by a constant from lane to lane (FormulaBindings.h). It then
// requests values of the formula. A request emits only the ops that the value depends on, at the builder's insertion
// point. Each value is emitted once and then memoised.
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
// A memoised value must dominate its uses. Therefore bind values that are defined in a loop in a copy of the vectoriser
// that is made for this loop, and bind each index once. Loaded elements are memoised too: no store may overwrite one
// while the vectoriser is in use.
//
// **Uniform or vector.** evaluate() returns a scalar if the value is known to be the same in all lanes, otherwise a
// vector of shape [L]; broadcast() makes a vector of a scalar. Indices stay affine in the lane as long as possible
// (LaneArithmetic.h), so that loads are contiguous, broadcasts, or strided gathers (LaneAccess.h). The values of
// indices in lanes, and the offsets of lanes in a tensor, must fit in i32.
//
// **Tails.** After setActiveLanes(n), lanes 0..n-1 are active. Loads of other lanes are masked off; their values are
// unspecified, and no op on them traps. A load at uniform subscripts does not test the mask: uniform subscripts must be
// valid even if no lane is active. Its report tests the mask only after restrictLanes(). A division of integers by zero
// divides by one.
//
// **Rounding.** A product and a sum may become one fma. A vector divided by a scalar is multiplied by the scalar's
// reciprocal, which adds an error of one unit in the last place; if the divisor's magnitude is below 2^-128, the
// reciprocal is infinite. Neither applies to ops with `attn.exact`.
//
// **Out of range.** The front end has proved that subscripts that are affine in indices are in range. The code
// clamps every other subscript, e.g. from data or from a selection: out of range, it reads element 0, or returns 0
// if that dimension is empty. A clamped subscript such as max(i - 1, 0) is out of range only where the model's
// condition is false; the element is then not used, and is unspecified. If a subscript from data is out of range in
// an active lane, the code also sets the status (bindStatus). A constant counts as data unless it is 0 or in the
// range of a static size. Some emitters evaluate a formula for points that have no result, e.g. a score before its
// mask. Then deferReports() suppresses the report, and checkSubscripts() reports for the points that have a result.
//
// **Producers.** An element of a tensor without a buffer is computed where it is used. Its producer must be a pointwise
// linalg.generic, a linalg.fill, a constant of equal elements, a tensor.empty (whose elements are then 0), or a view
// (ViewSubscripts.h); another producer is an internal error.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/Combiner.h"
#include "compiler/Codegen/Formula/FormulaBindings.h"
#include "compiler/Codegen/Formula/LaneAccess.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc {

/// Whether every op in `region` and in its nested regions can be evaluated: an op with one result of `arith`, or of
/// `math` if it has code (VectorMath.h), on f32, i32, i1 and index; a load of such an element; affine.apply, tensor.dim
/// or an op of formulas (attn.reduce, attn.stop, attn.uniform, linalg.index, terminators). Otherwise the reason
/// describes the first op that cannot be evaluated.
Verdict canVectorise(mlir::Region &region);

/// The parameters `value`, `index`, `tensor`, `op` and `formula` are of the kernel's IR; results are of the generated
/// code. The builder, and all that is bound, must outlive the vectoriser. A copy has the same builder.
class RegionVectoriser : public FormulaBindings {
public:
  RegionVectoriser(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes)
      : lanes{builder, location, lanes} {}

  /// `pointer` (!llvm.ptr) is the address of the i32 status of the launch. A subscript from data that is out of range
  /// sets it to ATTN_OUT_OF_RANGE. Without a bound status, such subscripts are clamped and not reported.
  void bindStatus(mlir::Value pointer) { status = pointer; }
  /// Makes lanes 0..count-1 active, in place of an earlier choice, restrictLanes() included; `count` is an index (for
  /// 0, see Tails above). Null: all lanes. Elements that were loaded before are memoised for the lanes active then.
  void setActiveLanes(mlir::Value count);
  /// Deactivates the lanes where `condition` (vector<Lxi1>) is false, possibly all lanes.
  void restrictLanes(mlir::Value condition);
  /// From now on, out-of-range subscripts of loads in `formula` and its nested regions are not reported.
  void deferReports(mlir::Region &formula) { deferred.push_back(&formula); }

  /// Emits `value` and returns a scalar or a vector (see "Uniform or vector" above). An index that differs between
  /// lanes is a vector of i32. The indices and scalars that `value` depends on must be bound.
  mlir::Value evaluate(mlir::Value value);
  /// The same for a value of type index, in its affine form.
  LaneIndex evaluateIndex(mlir::Value index);
  /// Emits, at the insertion point, each part of `value` that does not depend on anything unbound. Used before a loop,
  /// so that the loop does not repeat these parts.
  void evaluateAvailable(mlir::Value value);

  /// Emits code that sets the status if a subscript from data in `formula` is out of range in an active lane (for
  /// uniform subscripts, see Tails above). The last arguments of `formula` run over all values below `sizes` (of type
  /// index), one size for each; all else that the subscripts depend on is bound. Nothing is memoised, and earlier calls
  /// of deferReports() have no effect here.
  void checkSubscripts(mlir::Region &formula, mlir::ValueRange sizes = {});
  /// Subscript `number` of the load `op`, clamped as described under "Out of range" unless it is proved; sets the
  /// status as described there.
  LaneIndex clampedSubscript(mlir::tensor::ExtractOp op, unsigned number);
  /// An i1 that is false if the tensor of `op` is empty in a dimension whose subscript is not proved; null if each
  /// subscript is proved or its dimension has a static size above 0. Loads test this condition themselves; the caller
  /// must test it before a store to the same subscripts.
  mlir::Value hasElement(mlir::tensor::ExtractOp op);
  /// The element of `tensor` at `subscripts`, one for each dimension, as a scalar or a vector; does not check the
  /// range. The tensor needs a buffer, a bound element or a producer as described above.
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  /// The extent of a dimension of a tensor, of type index. The tensor has a buffer of its own rank, or none; if it has
  /// none and the dimension is dynamic, it has a producer other than tensor.collapse_shape.
  mlir::Value sizeOf(mlir::Value tensor, int64_t dimension);
  /// Stores `value` to `memref`, the buffer of a tensor, in the active lanes: i1 as bytes, f32 in the storage type. See
  /// storeLanes() (LaneAccess.h) for uniform subscripts.
  void store(mlir::Value value, mlir::Value memref, llvm::ArrayRef<LaneIndex> subscripts) const {
    storeLanes(lanes, value, memref, subscripts, guard.mask);
  }

  /// A scalar in all lanes; a vector unchanged.
  mlir::Value broadcast(mlir::Value scalarOrVector) const { return lanes.broadcast(scalarOrVector); }
  mlir::Value broadcast(const LaneIndex &index) const { return lanes.broadcast(index); } ///< as a vector<Lxi32>
  mlir::Value laneMask() const { return guard.mask; } ///< vector<Lxi1>, or null if all lanes are active
  const LaneArithmetic &getLanes() const { return lanes; } ///< the builder, the location, L and index arithmetic

private:
  mlir::Value evaluateOp(mlir::Operation *op);
  mlir::Value evaluateOperand(mlir::BlockArgument argument);
  mlir::Value evaluateExtract(mlir::tensor::ExtractOp op);
  mlir::Value evaluateClampedRun(mlir::tensor::ExtractOp op, llvm::ArrayRef<LaneIndex> outer);
  std::optional<ClampedRun> clampedRun(mlir::Value subscript);
  LaneIndex evaluateIndexOp(mlir::Operation *op);
  mlir::Value computeAt(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts);
  mlir::Value computeGenericAt(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<LaneIndex> subscripts);

  LaneArithmetic lanes;
  AccessGuard guard;
  mlir::Value status;
  llvm::SmallVector<mlir::Region *, 2> deferred;
};

} // namespace attnc
