//===- VectorBuilder.h - builder of arithmetic on vectors of one length -------------------------------------------===//
//
// Adds arithmetic on f32 scalars and on vectors of `lanes` elements to IndexBuilder, whose numbers are then of type
// index. The operands of a float operation are all scalars or all vectors, except where a comment permits both. No
// operation has fast-math flags.
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

  const int64_t lanes; ///< elements of a vector

  mlir::VectorType vectorType();                   ///< `lanes` elements of f32
  mlir::VectorType vectorType(mlir::Type element); ///< `lanes` elements of this type
  Value splat(double value);                       ///< constant vector of f32
  Value splat(Value scalar);                       ///< a scalar in all lanes; a vector unchanged
  Value scalar(double value);                      ///< constant f32
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value mulf(Value a, Value b);
  Value divf(Value a, Value b);
  Value fma(Value a, Value b, Value c); ///< a * b + c, a vector; operands may be scalars
  /// b if b > a, otherwise a; so a NaN in `a` stays, and a NaN in `b` is ignored.
  Value maxKeepingFirst(Value a, Value b);
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b); ///< i1, or a vector of i1
  /// An i1: true if a lane of one of the float vectors (at least one) is NaN. It may also be true if the vectors have
  /// infinities of both signs or if their sum overflows to them.
  Value hasNan(ValueRange vectors);
  /// A vector of i1 as a vector of i32, with 1 for true.
  Value widen(Value flags);
  Value isSet(Value flags); ///< the inverse: whether an integer, or each element of a vector of integers, is not 0
  /// A vector of i1, true in the first `count` (index) lanes. A negative count is 0, a count above `lanes` is `lanes`.
  Value laneMask(Value count);
  /// A vector whose element n is element lanes[n] of the concatenation of a and b.
  Value shuffle(Value a, Value b, llvm::ArrayRef<int64_t> lanes);

  /// `vectors` are `lanes` vectors, and `lanes` is a power of two. Element r of the result is the reduction of the
  /// elements of vectors[r] by `combine`, which is applied to pairs of vectors in a tree.
  Value foldLanes(Values vectors, llvm::function_ref<Value(Value, Value)> combine);
  /// `vectors` are `lanes` vectors, and `lanes` is a power of two. Element r of result c is element c of vectors[r].
  Values transpose(ValueRange vectors);
};

} // namespace attnc
