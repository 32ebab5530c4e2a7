//===- TileBuilder.h - builder of 32-bit address and index arithmetic of device code ------------------------------===//
//
// Numbers are i32: offsets in shared memory, rows and columns of a tile, lanes. Registers of a device have 32 bits, and
// an `index` would take two. Operations on constants are folded.
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

  Value fromIndex(Value index); ///< below 2^31
  Value toIndex(Value number);  ///< zero-extends
  Value widen(Value number);    ///< zero-extends to i64
  Value exclusiveOr(Value a, Value b);
  Value exclusiveOr(Value a, int64_t b) { return exclusiveOr(a, constant(b)); }
  Value opposite(Value flag); ///< of an i1

  /// `pointer`, of any address space, plus `bytes` (i32 or i64).
  Value at(Value pointer, Value bytes);
  /// Accesses are aligned to the size of their type.
  Value load(mlir::Type type, Value pointer);
  void store(Value value, Value pointer);

  /// scf.for over [lower, upper); `body` returns the next loop-carried values. Returns the last ones.
  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  /// Runs `body`, which returns the next carried values, while `goesOn` of them is true (i1).
  Values loopWhile(ValueRange carried, llvm::function_ref<Value(ValueRange)> goesOn,
                   llvm::function_ref<Values(ValueRange)> body);
  void when(Value condition, llvm::function_ref<void()> then);
  /// Butterfly shuffle of f32: the value of the lane whose number is this lane's, exclusive or `distance`.
  Value shuffleXor(Value value, int64_t distance);
  /// Broadcasts the i32 of the warp's first lane. ptxas then sees a value derived from the thread number as uniform,
  /// and can keep it in uniform registers.
  Value broadcastFirstLane(Value number);
  /// Barrier of all threads of the block.
  void syncBlock();
};

/// Disables unrolling of the loop that has the result `ofLoop`: unrolled, it would need too many registers.
void disableUnrolling(mlir::Value ofLoop);

} // namespace attnc
