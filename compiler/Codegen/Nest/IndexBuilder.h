//===- IndexBuilder.h - index arithmetic that folds constants ---------------------------------------------------===//
//
// Numbers are signed and of one type: `index`, or an integer type such as the i32 of device code. Conditions are i1. An
// operation on constants becomes a constant.
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
  Value div(Value a, Value b); ///< of non-negative numbers
  Value rem(Value a, Value b); ///< of non-negative numbers
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value mul(Value a, int64_t b) { return mul(a, constant(b)); }
  Value div(Value a, int64_t b) { return div(a, constant(b)); }
  Value rem(Value a, int64_t b) { return rem(a, constant(b)); }
  // Quotient of non-negative numbers, rounded up.
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), b); }
  Value ceilDiv(Value a, Value b) { return div(add(a, sub(b, constant(1))), b); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value less(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
  Value both(Value a, Value b);   ///< of i1
  Value either(Value a, Value b); ///< of i1
  Value boolean(bool value);
  Value choose(Value condition, Value a, Value b); ///< of any type
  /// The constant that an integer or index value is; null if it is not constant.
  static std::optional<int64_t> constantOf(Value value);
  /// The subscripts of element number `flat`, which exists, of a row-major space of these sizes, outermost first.
  Values delinearise(Value flat, ValueRange sizes);
  /// The inverse: the number of the element at `subscripts`.
  Value linearise(ValueRange subscripts, ValueRange sizes);
};

} // namespace attnc
