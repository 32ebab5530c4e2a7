//===- VectorBuilder.h - arithmetic on vectors of one length ----------------------------------------------------===//
//
// Operands of a float operation are all scalars or all vectors, except where a comment permits both. Vectors have
// `lanes` elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/IndexBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

class VectorBuilder : public IndexBuilder {
public:
  using IndexBuilder::compare;

  VectorBuilder(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes)
      : IndexBuilder(builder, location, builder.getIndexType()), lanes(lanes) {}

  const int64_t lanes; ///< of one vector

  mlir::VectorType vectorType(); ///< of f32
  mlir::VectorType vectorType(mlir::Type element);
  Value splat(double value);  ///< constant vector of f32
  Value splat(Value scalar);  ///< a scalar in all lanes; a vector unchanged
  Value scalar(double value); ///< constant f32
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value mulf(Value a, Value b);
  Value divf(Value a, Value b);
  Value fma(Value a, Value b, Value c); ///< a * b + c, a vector; operands may be scalars
  /// The greater one; `a` if `b` is NaN.
  Value maxKeepingFirst(Value a, Value b);
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b);
  /// i1: whether a lane of some vector is NaN; it may be true if there are infinities of both signs.
  Value hasNan(ValueRange vectors);
  /// A vector of i1 as a vector of i32, its type in memory.
  Value widen(Value flags);
  Value isSet(Value flags); ///< the inverse, of integers: whether they are not 0; on scalars or vectors
  /// A vector of i1, true in the first `count` (index) lanes; count may be negative or larger than the number of lanes.
  Value laneMask(Value count);
  /// The vector of the elements with these numbers, of a and then b.
  Value shuffle(Value a, Value b, llvm::ArrayRef<int64_t> lanes);

  /// `lanes` vectors, a power of two, become one: element r is the reduction of vector r by `combine`, in a tree of
  /// pairs.
  Value foldLanes(Values vectors, llvm::function_ref<Value(Value, Value)> combine);
  /// `lanes` vectors, a power of two, transposed: element c of vector r becomes element r of vector c.
  Values transpose(ValueRange vectors);
};

} // namespace attnc
