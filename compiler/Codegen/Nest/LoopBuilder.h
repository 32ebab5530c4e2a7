//===- LoopBuilder.h - builder of loop nests over memrefs with vectors in registers -----------------------------===//
//
// A facade of short builders, as mlir::OpBuilder is. Each level adds one topic: IndexBuilder folds index arithmetic,
// VectorBuilder has arithmetic on vectors, LoopBuilder control flow, loads and stores, FlatBuilder buffers of one
// dimension. `for (j = 0; j < n; j += 1) sums += tile[j][0:16]` is
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

  Values loop(Value lower, Value upper, Value step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body);
  void loop(Value lower, Value upper, Value step, llvm::function_ref<void(Value)> body);
  /// Nested loops from 0 to each size, the last one innermost.
  Values nest(ValueRange sizes, ValueRange carried, llvm::function_ref<Values(ValueRange, ValueRange)> body);
  void when(Value condition, llvm::function_ref<void()> then);
  Values select(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  //===------------------------------------------ memory --------------------------------------------------------===//

  // Elements are f32 in registers, or i32 if they are i32 in memory: bf16 and f16 are widened by loads and rounded by
  // stores.

  Value load(Value memref, ValueRange at); ///< a vector
  void store(Value vector, Value memref, ValueRange at);
  Value loadScalar(Value memref, ValueRange at);
  void storeScalar(Value scalar, Value memref, ValueRange at);
  /// Lanes where `mask` (i1s) is false are not accessed, and read as zero.
  Value loadMasked(Value mask, Value memref, ValueRange at);
  void storeMasked(Value mask, Value vector, Value memref, ValueRange at);
  /// Lanes below `count` are loaded, the others are zero.
  Value loadFirst(Value count, Value memref, ValueRange at);
  void storeFirst(Value count, Value vector, Value memref, ValueRange at);
  /// transpose() of the vectors at `lanes` positions of a memref: its narrow loads do half of the work.
  Values loadTransposed(Value memref, llvm::ArrayRef<Values> positions);
  /// Prefetches a cache line; `locality` 3 is the first-level cache. The address may be outside of the memref.
  void prefetch(Value memref, ValueRange at, unsigned locality);
  Value sizeOf(Value memref, unsigned dimension);
  /// A vector of i1 as one integer with a bit for each lane (`flagsType`), element `at` of a memref.
  mlir::Type flagsType();
  Value loadFlags(Value memref, ValueRange at);
  void storeFlags(Value flags, Value memref, ValueRange at);
};

} // namespace attnc
