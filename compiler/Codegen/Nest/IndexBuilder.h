//===- IndexBuilder.h - builder of index arithmetic that folds constants ------------------------------------------===//
//
// Each function emits an op of `arith` at the insertion point and returns its result. An operation on constants becomes
// a constant, and one that folds to an operand, such as x + 0, returns it. Numbers are signed and have one type:
// `index`, or an integer type such as i32 in device code. Conditions are i1; both(), either() and choose() also accept
// vectors of i1. VectorBuilder, LoopBuilder and FlatBuilder extend this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

class IndexBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;

  IndexBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type)
      : builder(builder), location(location), type(type) {}

  mlir::OpBuilder &builder;
  mlir::Location location;
  const mlir::Type type;

  Value constant(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b); ///< quotient rounded down; a >= 0, b > 0
  Value rem(Value a, Value b); ///< remainder; a >= 0, b > 0
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value mul(Value a, int64_t b) { return mul(a, constant(b)); }
  Value div(Value a, int64_t b) { return div(a, constant(b)); }
  Value rem(Value a, int64_t b) { return rem(a, constant(b)); }
  // Quotient rounded up; a >= 0, b > 0.
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), b); }
  Value ceilDiv(Value a, Value b) { return div(add(a, sub(b, constant(1))), b); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value less(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
  Value both(Value a, Value b);                    ///< conjunction of i1 values
  Value either(Value a, Value b);                  ///< disjunction of i1 values
  Value boolean(bool value);                       ///< constant i1
  Value choose(Value condition, Value a, Value b); ///< a if `condition`, otherwise b; a and b of any one type
  /// The number of an integer or index value that is constant; null if it is not constant.
  static std::optional<int64_t> constantOf(Value value);
  /// The subscripts of element number `flat` in row-major order of a space of these sizes, outermost first. The number
  /// must be in [0, product of sizes).
  Values delinearise(Value flat, ValueRange sizes);
  /// The inverse: the number of the element at `subscripts` in row-major order.
  Value linearise(ValueRange subscripts, ValueRange sizes);
};

} // namespace attnc
