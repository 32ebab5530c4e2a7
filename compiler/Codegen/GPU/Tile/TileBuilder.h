//===- TileBuilder.h - short spellings for what a thread computes with tiles ------------------------------------===//
//
// Numbers are i32: places in a block's memory, rows and columns of a tile, lanes. A device has registers of 32 bits,
// and takes two for an `index`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

class TileBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;

  TileBuilder(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  mlir::OpBuilder &builder;
  mlir::Location location;

  Value number(int64_t value);
  Value fromIndex(Value index); ///< which is below 2^31
  Value toIndex(Value number);
  Value widen(Value number); ///< i64, of one that is not negative
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b); ///< of numbers that are not negative
  Value rem(Value a, Value b);
  Value exclusiveOr(Value a, Value b);
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value less(Value a, Value b);   ///< i1
  Value same(Value a, Value b);   ///< i1
  Value both(Value a, Value b);   ///< of i1
  Value either(Value a, Value b); ///< of i1
  Value opposite(Value flag);     ///< i1
  Value select(Value condition, Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, number(b)); }
  Value mul(Value a, int64_t b) { return mul(a, number(b)); }
  Value div(Value a, int64_t b) { return div(a, number(b)); }
  Value rem(Value a, int64_t b) { return rem(a, number(b)); }
  Value exclusiveOr(Value a, int64_t b) { return exclusiveOr(a, number(b)); }

  /// `type` at so many bytes behind a pointer.
  Value at(Value pointer, Value bytes);
  Value load(mlir::Type type, Value pointer);
  void store(Value value, Value pointer);

  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  /// While `goesOn` (i1) says so of what is carried.
  Values loopWhile(ValueRange carried, llvm::function_ref<Value(ValueRange)> goesOn,
                   llvm::function_ref<Values(ValueRange)> body);
  void when(Value condition, llvm::function_ref<void()> then);
  /// The f32 of the lane whose number differs by `distance`, a power of two.
  Value exchange(Value value, int64_t distance);
  /// The i32 of the warp's first lane. What is the same in all lanes, but made of the thread's number, is so known to
  /// be: the assembler has registers of its own for such.
  Value ofFirstLane(Value number);
  /// Until all threads of the block have come.
  void waitForBlock();
};

/// Of a loop with a result: the compiler does not spell it out, which would keep more values at a time than there are
/// registers for.
void keepLoop(mlir::Value ofLoop);

} // namespace attnc
