//===- LaneArithmetic.h - affine index arithmetic on vector lanes -------------------------------------------------===//
//
// In a vectorised loop nest with L lanes, an index is one number for each lane. While it is affine in the lane number,
// it is represented by a scalar base and a constant step, which cost no vector instructions; otherwise it is a vector
// of i32, or of i64 if it may exceed 32 bits before a division or a comparison (LaneOps.h). For example, if consecutive
// values of i, from i0 on, are in the lanes:
//
//   i          base i0, step 1             4 * i + n   base 4 * i0 + n, step 4
//   i floordiv 2, i * i                    vector<Lxi32>
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// An index in L lanes: base + lane * step if `lanes` is null, otherwise `lanes`.
struct LaneIndex {
  mlir::Value base;       ///< the index of lane 0, of type index; null if `lanes` is set
  int64_t step = 0;       ///< difference of adjacent lanes
  mlir::Value lanes = {}; ///< vector<Lxi32> or vector<Lxi64>, if the index is not affine in the lane number
  /// True if the index is affine in loop indices, sizes and constants: the front end has proved that every subscript of
  /// this form is in range. Other subscripts are checked at run time.
  bool proved = true;
  bool isUniform() const { return !lanes && step == 0; } ///< whether all lanes have the same index
  bool operator==(const LaneIndex &) const = default; ///< compares the values in generated code, not the numbers
};

/// The value of a uniform index that is constant; null for any other index.
std::optional<int64_t> constantOf(const LaneIndex &index);

/// Emits arithmetic on indices in L = `lanes` lanes, at the insertion point of `builder`. Numbers in vectors of i32
/// wrap around; if an operand is a vector of i64, so is the result. A result is marked as proved if all operands are. A
/// result of `select` is never marked, so a selected subscript is clamped to its tensor (RegionVectoriser.h).
struct LaneArithmetic {
  using Value = mlir::Value;

  mlir::OpBuilder &builder;
  mlir::Location location;
  int64_t lanes;

  mlir::VectorType vectorOf(mlir::Type element) const;  ///< vector<Lxelement>; vector<Lxi32> if `element` is index
  Value splat(int64_t constant, mlir::Type type) const; ///< a constant of `type`, a scalar or a vector type
  Value broadcast(Value scalarOrVector) const;          ///< a scalar in all lanes, index as i32; a vector unchanged
  Value broadcast(const LaneIndex &index) const;        ///< the index of each lane modulo 2^32, vector<Lxi32>
  LaneIndex widened(const LaneIndex &index) const;      ///< the same index as a vector<Lxi64>
  Value both(Value a, Value b) const;                   ///< conjunction of two of one type; null is true
  Value toI32(Value index) const;                       ///< an index cast to i32; an i32 unchanged
  Value laneNumbers(int64_t step) const;                ///< the constant 0, step, 2 step, ..., vector<Lxi32>

  LaneIndex uniform(int64_t constant) const;
  LaneIndex add(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex subtract(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex multiply(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex scale(const LaneIndex &a, int64_t factor) const;
  LaneIndex floorDivide(const LaneIndex &a, const LaneIndex &b) const; ///< b must not be 0
  /// The value of an affine expression, where dims[i] is d_i and symbols[i] is s_i.
  LaneIndex affine(mlir::AffineExpr expression, llvm::ArrayRef<LaneIndex> dims,
                   llvm::ArrayRef<LaneIndex> symbols) const;
  /// a where `condition` (i1 or vector<Lxi1>) is true, otherwise b.
  LaneIndex select(Value condition, const LaneIndex &a, const LaneIndex &b) const;
  /// An i1 if both indices are uniform, or if both are affine in the lane with the same step and the predicate is
  /// signed or an equality; otherwise a vector<Lxi1>.
  Value compare(mlir::arith::CmpIPredicate predicate, const LaneIndex &a, const LaneIndex &b) const;
  /// Both indices as vectors of one type: of i64 if one of them is such a vector, otherwise of i32.
  std::pair<Value, Value> vectorsOf(const LaneIndex &a, const LaneIndex &b) const;
};

} // namespace attnc
