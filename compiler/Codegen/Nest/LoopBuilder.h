//===- LoopBuilder.h - builder of loop nests over memrefs with vectors in registers -----------------------------===//
//
// A facade of short builders, as mlir::OpBuilder is. Each level adds one topic: IndexBuilder folds index arithmetic,
// VectorBuilder has arithmetic on vectors of `lanes` elements, LoopBuilder control flow, loads and stores, FlatBuilder
// buffers of one dimension. `for (j = 0; j < n; j += 1) sums += tile[j][0:16]` is
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

  /// scf.for over [lower, upper). `body` receives the index and the loop-carried values, which start as `carried`, and
  /// returns their next values. Returns the last ones. If the number of iterations is known, no loop is emitted for one
  /// iteration, and nothing for none.
  Values loop(Value lower, Value upper, Value step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  void loop(Value lower, Value upper, Value step, llvm::function_ref<void(Value)> body);
  /// Nested loops from 0 to each size, the last one innermost, as loop(): `body` receives all indices.
  Values nest(ValueRange sizes, ValueRange carried, llvm::function_ref<Values(ValueRange, ValueRange)> body);
  /// Emits `then`, executed if `condition` (i1) is true; for a constant false one, nothing.
  void when(Value condition, llvm::function_ref<void()> then);
  /// The values, of these types, that the branch of `condition` returns; for a constant one, only that branch is
  /// emitted.
  Values select(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  //===------------------------------------------ memory --------------------------------------------------------===//

  // Elements are f32 in registers, or i32 if they are i32 in memory: bf16 and f16 are widened by loads and rounded by
  // stores. `at` are subscripts (index), of the first element of a vector, which runs along the last dimension.

  Value load(Value memref, ValueRange at); ///< a vector
  void store(Value vector, Value memref, ValueRange at);
  Value loadScalar(Value memref, ValueRange at);
  void storeScalar(Value scalar, Value memref, ValueRange at);
  /// Lanes where `mask` (a vector of i1) is false are not accessed, and read as zero.
  Value loadMasked(Value mask, Value memref, ValueRange at);
  void storeMasked(Value mask, Value vector, Value memref, ValueRange at);
  /// Lanes below `count` (index) are accessed; the others read as zero.
  Value loadFirst(Value count, Value memref, ValueRange at);
  void storeFirst(Value count, Value vector, Value memref, ValueRange at);
  /// transpose() of the vectors at `lanes` positions, each the subscripts of a first element: its narrow loads do half
  /// of the work. `lanes` is a multiple of 4.
  Values loadTransposed(Value memref, llvm::ArrayRef<Values> positions);
  /// Prefetches a cache line; `locality` 3 is the first-level cache. The address may be outside of the memref.
  void prefetch(Value memref, ValueRange at, unsigned locality);
  Value sizeOf(Value memref, unsigned dimension); ///< index
  /// A vector of i1 is element `at` of a memref of integers with a bit for each lane (`flagsType`), lane 0 the lowest.
  mlir::Type flagsType();
  Value loadFlags(Value memref, ValueRange at);
  void storeFlags(Value flags, Value memref, ValueRange at);
};

} // namespace attnc
