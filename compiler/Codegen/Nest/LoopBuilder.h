//===- LoopBuilder.h - builder of loop nests over memrefs with vectors in registers -------------------------------===//
//
// Emitters write generated code with a hierarchy of builders, in which each class adds one topic: IndexBuilder folds
// index arithmetic, VectorBuilder has arithmetic on vectors of `lanes` elements, LoopBuilder has control flow, loads
// and stores, and FlatBuilder has buffers of one dimension. All ops are inserted at the insertion point of `builder`.
// For example, `for (j = 0; j < n; j += 1) sums += tile[j][0:16]` is
//
//   Values sums = loops.loop(loops.constant(0), n, loops.constant(1), {zero}, [&](Value j, ValueRange carried) {
//     return Values{loops.addf(carried[0], loops.load(tile, {j, zeroIndex}))};
//   });
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/VectorBuilder.h"

namespace attnc {

class LoopBuilder : public VectorBuilder {
public:
  using VectorBuilder::VectorBuilder;

  //===------------------------------------------ control flow --------------------------------------------------===//

  /// scf.for over [lower, upper) by `step` (> 0). `body` receives the induction variable and the loop-carried values,
  /// which start as `carried`. It emits the code of an iteration and returns the next loop-carried values. Returns the
  /// values after the last iteration. If bounds and step are constants, one iteration is emitted without a loop, and
  /// for no iteration nothing is emitted.
  Values loop(Value lower, Value upper, Value step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  /// The same without loop-carried values.
  void loop(Value lower, Value upper, Value step, llvm::function_ref<void(Value)> body);
  /// Nested loops, each from 0 to a size by 1, the last one innermost. `body` receives all induction variables and the
  /// loop-carried values, as in loop().
  Values nest(ValueRange sizes, ValueRange carried, llvm::function_ref<Values(ValueRange, ValueRange)> body);
  /// Emits `then`, executed if `condition` (i1) is true. If `condition` is a constant, `then` is emitted without a
  /// branch, or not at all.
  void when(Value condition, llvm::function_ref<void()> then);
  /// scf.if with results of `types`: the values that `then` returns if `condition` (i1) is true, and otherwise those
  /// that `otherwise` returns. If `condition` is a constant, only the selected branch is emitted.
  Values select(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  //===------------------------------------------ memory --------------------------------------------------------===//

  // Elements of f32, bf16 and f16 in memory are f32 in registers: loads widen bf16 and f16, and stores round to them.
  // Other elements, such as i32, have the same type in registers. `at` has the subscripts (index) of the accessed
  // element. A vector has `lanes` elements: this one and the next ones along the last dimension, which has stride 1.

  Value load(Value memref, ValueRange at); ///< a vector
  void store(Value vector, Value memref, ValueRange at);
  Value loadScalar(Value memref, ValueRange at);
  void storeScalar(Value scalar, Value memref, ValueRange at);
  /// Lanes where `mask` (a vector of i1) is false are not accessed; a load returns zero in them.
  Value loadMasked(Value mask, Value memref, ValueRange at);
  void storeMasked(Value mask, Value vector, Value memref, ValueRange at);
  /// The same with a mask of the first `count` (index) lanes; `count` may be any number (laneMask).
  Value loadFirst(Value count, Value memref, ValueRange at);
  void storeFirst(Value count, Value vector, Value memref, ValueRange at);
  /// Loads a square of lanes x lanes elements, transposed. positions[r] has the subscripts of the first element of row
  /// r, for `lanes` rows; element r of result c is element c of row r. Faster than transpose() of loaded rows: the
  /// loads of four elements each do half of the work. `lanes` must be a power of two, at least 4.
  Values loadTransposed(Value memref, llvm::ArrayRef<Values> positions);
  /// Prefetches the cache line of an element; `locality` is that of memref.prefetch: 3 is the first-level cache. The
  /// address may be outside of the memref.
  void prefetch(Value memref, ValueRange at, unsigned locality);
  Value sizeOf(Value memref, unsigned dimension); ///< the extent of a dimension (index)
  /// The integer type that stores a vector of i1: a bit for each lane, lane 0 in the lowest bit.
  mlir::Type flagsType();
  /// Load and store of a vector of i1 as element `at` of a memref of flagsType().
  Value loadFlags(Value memref, ValueRange at);
  void storeFlags(Value flags, Value memref, ValueRange at);
};

} // namespace attnc
