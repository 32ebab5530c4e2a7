//===- LaneAccess.h - vectorised loads and stores -----------------------------------------------------------------===//
//
// An access reads or writes one element of a memref for each of L lanes. Its subscripts (LaneArithmetic.h), one for
// each dimension, decide which instruction is emitted: a scalar access if all subscripts are uniform; a vector
// access if the lanes are adjacent elements of the last dimension, whose stride must be 1; otherwise a gather or a
// scatter, for which the distances of the lanes' elements must fit in i32. A clamped subscript of a neighbour, such
// as max(i - 1, 0), needs no gather: one masked vector load reads the adjacent elements, and one scalar load the
// element at each limit (loadClampedRun). Inactive lanes of vector accesses are masked off. RegionVectoriser emits
// its accesses by these functions, at the builder's insertion point.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"

namespace attnc {

/// The lanes that take part in an access.
struct AccessGuard {
  mlir::Value mask;    ///< vector<Lxi1>; null: all lanes
  mlir::Value anyLane; ///< i1: whether a lane is active, for reports of uniform subscripts; null: one is
  mlir::Value exists;  ///< i1: whether the buffer has elements; null: it does
};

/// The elements of `memref` at `subscripts`, converted to the type `element` of a formula: bytes become i1 (true if not
/// 0), bf16 and f16 become f32. If `memref` has fewer dimensions than there are subscripts, the last subscripts count.
/// The result is a scalar if these subscripts are uniform, otherwise a vector<Lxelement>, zero in inactive lanes. If
/// guard.exists is false at run time, nothing is read and the result is zero. A scalar load ignores guard.mask and
/// guard.anyLane: it reads even if no lane is active. Subscripts are not checked.
mlir::Value loadLanes(const LaneArithmetic &lanes, mlir::Value memref, mlir::Type element,
                      llvm::ArrayRef<LaneIndex> subscripts, const AccessGuard &guard);

/// Adjacent subscripts between limits that are equal in all lanes: max(i - 1, 0), or min(i + 1, n - 1).
struct ClampedRun {
  LaneIndex run;                     ///< without the limits: affine in the lane number, of step 1
  std::optional<LaneIndex> least;    ///< the subscript in lanes where `run` is below it; null: no lower limit
  std::optional<LaneIndex> greatest; ///< the same above, at least `least`; null: no upper limit
};

/// Whether loadClampedRun() can load from `memref` with the subscripts `outer` in the dimensions before the last.
bool canLoadClampedRun(const LaneArithmetic &lanes, mlir::Value memref, llvm::ArrayRef<LaneIndex> outer,
                       const ClampedRun &run);
/// As loadLanes(), without a gather: loads the adjacent elements, and the elements at the limits once. `size` is that
/// of the last dimension. The value of a lane whose subscript is out of range is unspecified. Requires
/// canLoadClampedRun().
mlir::Value loadClampedRun(const LaneArithmetic &lanes, mlir::Value memref, mlir::Type element,
                           llvm::ArrayRef<LaneIndex> outer, const ClampedRun &run, mlir::Value size,
                           const AccessGuard &guard);

/// Stores `value`, a scalar or a vector<Lx...> of a formula, converted to the element type of `memref` (as in
/// loadLanes), in the lanes of `mask` (vector<Lxi1>; null: all). If the subscripts are uniform, it stores the scalar or
/// the element of lane 0 once and ignores the mask.
void storeLanes(const LaneArithmetic &lanes, mlir::Value value, mlir::Value memref,
                llvm::ArrayRef<LaneIndex> subscripts, mlir::Value mask);

/// The subscript in each lane where it is in [0, size), and 0 in other lanes; `size` has type index. If an active lane
/// is out of range, the generated code stores ATTN_OUT_OF_RANGE at `status` (!llvm.ptr to an i32; null: no report). The
/// result is marked as proved.
LaneIndex clampToSize(const LaneArithmetic &lanes, const LaneIndex &subscript, mlir::Value size,
                      const AccessGuard &guard, mlir::Value status);

} // namespace attnc
