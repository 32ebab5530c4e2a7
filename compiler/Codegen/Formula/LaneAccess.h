//===- LaneAccess.h - loads and stores of one vector at affine subscripts ---------------------------------------===//
//
// The subscripts of the lanes choose the instruction: a scalar load if they are uniform, a vector load if the lanes are
// contiguous, otherwise a gather; likewise for stores. Inactive lanes are masked off.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"

namespace attnc {

/// The lanes that take part in an access.
struct AccessGuard {
  mlir::Value mask;    ///< vector<Lxi1>; null: all lanes
  mlir::Value anyLane; ///< i1: whether a lane is active; null: one is
  mlir::Value exists;  ///< i1: whether the buffer has elements; null: it does
};

/// The elements of a buffer at `subscripts`, converted to type `element`: bytes become i1, 16-bit floats f32. A buffer
/// of lower rank is subscripted by the last subscripts alone. The result is a scalar if all subscripts are uniform,
/// otherwise a vector. It is zero if the buffer is empty.
mlir::Value loadLanes(const LaneArithmetic &lanes, mlir::Value memref, mlir::Type element,
                      llvm::ArrayRef<LaneIndex> subscripts, const AccessGuard &guard);

/// Stores a scalar or a vector in the lanes of `mask` (null: all), converted to the type of the buffer. At uniform
/// subscripts it stores lane 0 alone, whatever the mask.
void storeLanes(const LaneArithmetic &lanes, mlir::Value value, mlir::Value memref,
                llvm::ArrayRef<LaneIndex> subscripts, mlir::Value mask);

/// The subscript if it is in [0, size), otherwise 0. An active lane out of range is reported to `status` (!llvm.ptr to
/// an i32; null: no report).
LaneIndex clampToSize(const LaneArithmetic &lanes, const LaneIndex &subscript, mlir::Value size,
                      const AccessGuard &guard, mlir::Value status);

} // namespace attnc
