//===- FlatBuilder.h - builder of loop nests over flat buffers --------------------------------------------------===//
//
// For kernels that compute every address themselves, such as those of gemm: a buffer is a memref of one dimension
// (`flat`), and its elements have offsets.
//
//   FlatBuilder code(frame.builder, frame.location, lanes);
//   Value source = code.flat(frame.buffer(argument));
//   code.loop(code.constant(0), rows, 1, [&](Value row) {
//     Value vector = code.load(source, code.mul(row, width));
//     ...
//   });
//
// For a constant condition only the selected branch is emitted, and for a selector with one case only this case.
// Offsets are index, in elements.
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

  /// The elements of a dense row-major buffer (a memref of any rank) in one dimension: a memref<?x...>, or the buffer
  /// itself if it has one dimension.
  Value flat(Value memref);
  /// The same memref, of one dimension, with a type of dynamic size.
  Value dynamic(Value memref);
  /// The number of elements of a buffer in a cache line.
  static int64_t lineElements(Value memref);
  /// Lanes where `mask` (a vector of i1; null for all true) is false are not accessed, and read as zero.
  Value load(Value memref, Value offset, Value mask);
  void store(Value vector, Value memref, Value offset, Value mask);
  /// Prefetches the cache line of an element to the first-level cache, for a store.
  void prefetchForWriting(Value memref, Value offset);

  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body) {
    return loop(lower, upper, constant(step), carried, body);
  }
  void loop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body) {
    loop(lower, upper, constant(step), body);
  }
  void branch(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  /// Emits `body(case)` for each of `cases`, of which the one that `selector` (index) equals is executed. It must equal
  /// one.
  void dispatch(Value selector, llvm::ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body);
};

} // namespace attnc
