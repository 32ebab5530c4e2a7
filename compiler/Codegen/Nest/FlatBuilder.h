//===- FlatBuilder.h - builder of loop nests over one-dimensional buffers -----------------------------------------===//
//
// For the code of kernels that compute every address themselves, such as those of gemm. A flat buffer is a memref of
// one dimension with stride 1, which flat() makes of any dense buffer. An element of a flat buffer is identified by its
// offset: an `index` value that counts elements from the start. LoopBuilder.h describes loops, loads and stores.
//
//   FlatBuilder code(frame.builder, frame.location, lanes);
//   Value source = code.flat(frame.buffer(argument));
//   code.loop(code.constant(0), rows, 1, [&](Value row) {
//     Value vector = code.load(source, code.mul(row, width));
//     ...
//   });
//
// If a condition is constant, only the selected branch is emitted.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

class FlatBuilder : public LoopBuilder {
public:
  using LoopBuilder::load;
  using LoopBuilder::loop;
  using LoopBuilder::LoopBuilder;
  using LoopBuilder::store;

  /// A view of a dense row-major memref of any rank with one dimension of all its elements: memref<?xT>, or the memref
  /// itself if it has one dimension.
  Value flat(Value memref);
  /// A flat buffer cast to memref<?xT>; unchanged if it has this type.
  Value dynamic(Value memref);
  /// The number of elements of the type of `memref` in a cache line.
  static int64_t lineElements(Value memref);
  /// Load and store of `lanes` elements from `offset` on. Lanes where `mask` (a vector of i1; null: all true) is false
  /// are not accessed; a load returns zero in them.
  Value load(Value memref, Value offset, Value mask);
  void store(Value vector, Value memref, Value offset, Value mask);
  /// Copies `count` (index) elements. Elements are widened or rounded if the element types of the buffers differ.
  void copy(Value source, Value from, Value target, Value to, Value count);
  /// Prefetches the cache line of the element at `offset` to the first-level cache, for a store.
  void prefetchForWriting(Value memref, Value offset);

  /// LoopBuilder::loop() with a constant step.
  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body) {
    return loop(lower, upper, constant(step), carried, body);
  }
  void loop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body) {
    loop(lower, upper, constant(step), body);
  }
  /// Emits `then`, executed if `condition` (i1) is true, and `otherwise`, executed if it is false.
  void branch(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  /// A switch: calls body(number) for each number of `cases` (at least one) to emit its code, of which the code for
  /// number = `selector` (index) is executed. At run time the selector must equal one of `cases`. A single case is
  /// emitted without a switch.
  void dispatch(Value selector, llvm::ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body);
};

} // namespace attnc
