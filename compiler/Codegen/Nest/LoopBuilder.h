//===- LoopBuilder.h - short spellings for loops over memrefs with vectors in registers ------------------------===//
//
// What the attention kernels are written in: index arithmetic that folds, scf loops that carry vectors in registers,
// loads and stores of one vector. `for (j = 0; j < n; j += 1) sums += tile[j][0:16]` is
//
//   Values sums = loops.loop(loops.constant(0), n, loops.constant(1), {zero}, [&](Value j, ValueRange carried) {
//     return Values{loops.addf(carried[0], loops.load(tile, {j, zeroIndex}))};
//   });
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

class LoopBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;

  LoopBuilder(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes)
      : builder(builder), location(location), lanes(lanes) {}

  mlir::OpBuilder &builder;
  mlir::Location location;
  const int64_t lanes; ///< of one vector

  //===------------------------------------------ indices -------------------------------------------------------===//

  Value constant(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b); ///< of non-negative numbers
  Value rem(Value a, Value b);
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value mul(Value a, int64_t b) { return mul(a, constant(b)); }
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), constant(b)); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value less(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
  Value both(Value a, Value b);   ///< of i1
  Value either(Value a, Value b); ///< of i1
  Value boolean(bool value);
  /// The number that a value is known to be.
  static std::optional<int64_t> constantOf(Value value);
  /// The subscripts of element `flat` of a row-major space of these sizes.
  Values delinearise(Value flat, ValueRange sizes);
  Value linearise(ValueRange subscripts, ValueRange sizes);

  //===------------------------------------------ control -------------------------------------------------------===//

  Values loop(Value lower, Value upper, Value step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  void loop(Value lower, Value upper, Value step, llvm::function_ref<void(Value)> body);
  /// Nested loops from 0 to each size, the last one innermost.
  Values nest(ValueRange sizes, ValueRange carried, llvm::function_ref<Values(ValueRange, ValueRange)> body);
  void when(Value condition, llvm::function_ref<void()> then);
  Values select(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  //===------------------------------------------ floats, scalars or vectors ------------------------------------===//

  mlir::VectorType vectorType();
  mlir::VectorType vectorType(mlir::Type element);
  Value splat(double value);  ///< vector of f32
  Value splat(Value scalar);  ///< a scalar in all lanes; a vector as it is
  Value scalar(double value); ///< f32
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value mulf(Value a, Value b);
  Value divf(Value a, Value b);
  Value fma(Value a, Value b, Value c); ///< a * b + c
  /// The greater one; where `b` is NaN it is `a`.
  Value maxKeepingFirst(Value a, Value b);
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b);
  Value choose(Value condition, Value a, Value b);
  /// Of `lanes` vectors: element r is what `combine` makes of the elements of vector r, in a tree of pairs.
  Value foldLanes(Values vectors, llvm::function_ref<Value(Value, Value)> combine);
  /// Whether a lane of some vector is NaN; it may be true where there are infinities of both signs.
  Value hasNan(ValueRange vectors);
  /// Vectors of i1 as vectors of i32, which memory holds, and back; `isSet` takes scalars as well.
  Value widen(Value flags);
  Value isSet(Value flags);

  //===------------------------------------------ memory --------------------------------------------------------===//

  // Of f32, or of i32 where that is stored: memory of bf16 and f16 is widened and rounded on the way.

  Value load(Value memref, ValueRange at); ///< a vector
  void store(Value vector, Value memref, ValueRange at);
  Value loadScalar(Value memref, ValueRange at);
  void storeScalar(Value scalar, Value memref, ValueRange at);
  /// Lanes where `mask` (i1s) is false are not touched, and read as zero.
  Value loadMasked(Value mask, Value memref, ValueRange at);
  void storeMasked(Value mask, Value vector, Value memref, ValueRange at);
  /// The first `count` lanes; count may be negative or more than there are.
  Value laneMask(Value count);
  /// Lanes below `count` are loaded, the others are zero.
  Value loadFirst(Value count, Value memref, ValueRange at);
  void storeFirst(Value count, Value vector, Value memref, ValueRange at);
  /// Asks for the line; `locality` 3 is the nearest cache. The place may lie outside of the memref.
  void prefetch(Value memref, ValueRange at, unsigned locality);
  /// Of `lanes` vectors: element c of vector r becomes element r of vector c.
  Values transpose(ValueRange vectors);
  /// The same of the vectors at `lanes` places of a memref: half of the work is done by its narrow loads.
  Values loadTransposed(Value memref, llvm::ArrayRef<Values> places);
  Value sizeOf(Value memref, unsigned dimension);
  /// A vector of i1 as one integer with a bit a lane (`flagsType`), element `at` of a memref.
  mlir::Type flagsType();
  Value loadFlags(Value memref, ValueRange at);
  void storeFlags(Value flags, Value memref, ValueRange at);

private:
  static mlir::Type elementOf(Value memref);
  Value shuffle(Value a, Value b, llvm::ArrayRef<int64_t> lanes);
};

} // namespace attnc
