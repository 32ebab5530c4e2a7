//===- TileBuilder.h - builder of 32-bit address and index arithmetic of device code ------------------------------===//
//
// Numbers are i32: offsets in shared memory, rows and columns of a tile, lanes. Registers of a device have 32 bits, and
// an `index` would occupy two. As in IndexBuilder, numbers are signed, and operations on constants are folded. The
// members emit code for the executing thread at the insertion point of `builder`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/IndexBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

class TileBuilder : public IndexBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : IndexBuilder(builder, location, builder.getI32Type()) {}

  Value fromIndex(Value index); ///< truncates an `index` below 2^31 to i32
  Value toIndex(Value number);  ///< zero-extends to `index`: `number` is not negative
  Value widen(Value number);    ///< zero-extends to i64: `number` is not negative
  Value exclusiveOr(Value a, Value b);
  Value exclusiveOr(Value a, int64_t b) { return exclusiveOr(a, constant(b)); }
  Value opposite(Value flag); ///< negation of an i1

  /// `pointer`, of any address space, plus `bytes` (i32, sign-extended, or i64).
  Value at(Value pointer, Value bytes);
  /// A load and a store at `pointer`, of any address space, which is aligned to the ABI alignment of the value's type.
  Value load(mlir::Type type, Value pointer);
  void store(Value value, Value pointer);

  /// Emits an scf.for over [lower, upper). `body` emits an iteration, from its number and the loop-carried values, and
  /// returns the next loop-carried values. Returns the last ones, or `carried` if there is no iteration.
  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  /// Emits an scf.while: `goesOn` emits the condition (i1) of an iteration from the loop-carried values, and `body`
  /// emits the iteration and returns the next ones. Returns the first loop-carried values for which the condition is
  /// false.
  Values loopWhile(ValueRange carried, llvm::function_ref<Value(ValueRange)> goesOn,
                   llvm::function_ref<Values(ValueRange)> body);
  /// Emits a branch that is executed if `condition` (i1) is true; `then` emits its code.
  void when(Value condition, llvm::function_ref<void()> then);
  /// Butterfly shuffle of an f32 or i32 in a warp: the value of the lane whose number is this lane's number, exclusive
  /// or `distance`. All lanes of the warp execute it.
  Value shuffleXor(Value value, int64_t distance);
  /// Broadcasts the i32 of the warp's first lane; all lanes execute it. ptxas then sees a value derived from the thread
  /// number as uniform, and can keep it in uniform registers.
  Value broadcastFirstLane(Value number);
  /// Barrier of all threads of the block.
  void syncBlock();
};

/// Disables unrolling of the loop of which `ofLoop` is a result: unrolled, it would need too many registers. Does
/// nothing if `ofLoop` is no result of an scf.for.
void disableUnrolling(mlir::Value ofLoop);

} // namespace attnc
