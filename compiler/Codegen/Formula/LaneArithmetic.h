//===- LaneArithmetic.h - affine index arithmetic on vector lanes -----------------------------------------------===//
//
// In a vectorised loop nest an index is one number for each lane. As long as it is affine in the lane number, it is a
// scalar base and a constant step, which cost no vector instructions; otherwise it is a vector of i32. With i in lanes:
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

/// An index as it varies over the lanes: base + lane * step, or `lanes` if it is not affine.
struct LaneIndex {
  mlir::Value base; ///< index; null if `lanes` is set
  int64_t step = 0;
  mlir::Value lanes = {}; ///< vector<Lxi32>
  /// Affine in loop indices, sizes and constants: the front end has proved each subscript of this form in range.
  bool proved = true;
  bool isUniform() const { return !lanes && step == 0; }
  bool operator==(const LaneIndex &) const = default;
};

/// The value of a uniform index that is constant; null for any other index.
std::optional<int64_t> constantOf(const LaneIndex &index);

/// Emits arithmetic on vectors of `lanes` lanes. All values of indices have to fit in i32. A result is marked as
/// proved if all operands are. A result of `select` is never proved, so a selected subscript is clamped
/// (RegionVectoriser.h).
struct LaneArithmetic {
  using Value = mlir::Value;

  mlir::OpBuilder &builder;
  mlir::Location location;
  int64_t lanes;

  mlir::VectorType vectorOf(mlir::Type element) const;  ///< [lanes]; of i32 if `element` is index
  Value splat(int64_t constant, mlir::Type type) const; ///< of `type`, in all lanes if this is a vector
  Value broadcast(Value scalarOrVector) const;          ///< a scalar in all lanes; a vector unchanged
  Value broadcast(const LaneIndex &index) const;        ///< vector<Lxi32>
  Value both(Value a, Value b) const;                   ///< conjunction; null is true
  Value toI32(Value index) const;
  Value laneNumbers(int64_t step) const; ///< 0, step, 2 step, ...

  LaneIndex uniform(int64_t constant) const;
  LaneIndex add(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex subtract(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex multiply(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex scale(const LaneIndex &a, int64_t factor) const;
  LaneIndex floorDivide(const LaneIndex &a, const LaneIndex &b) const;
  LaneIndex affine(mlir::AffineExpr expression, llvm::ArrayRef<LaneIndex> dims,
                   llvm::ArrayRef<LaneIndex> symbols) const;
  LaneIndex select(Value condition, const LaneIndex &a, const LaneIndex &b) const;
  /// Returns i1 if the comparison of the bases decides for all lanes, and vector<Lxi1> otherwise.
  Value compare(mlir::arith::CmpIPredicate predicate, const LaneIndex &a, const LaneIndex &b) const;
};

} // namespace attnc
