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

  /// The elements of a dense row-major buffer in one dimension.
  Value flat(Value memref);
  /// The same memref with a type of dynamic size.
  Value dynamic(Value memref);
  /// Elements of a buffer in a cache line.
  static int64_t lineElements(Value memref);
  /// Lanes where `mask` is false (i1s; null for all) are not accessed and read as zero.
  Value load(Value memref, Value offset, Value mask);
  void store(Value vector, Value memref, Value offset, Value mask);
  void prefetchForWriting(Value memref, Value offset);

  Values loop(Value lower, Value upper, int64_t step, ValueRange carried,
              llvm::function_ref<Values(Value, ValueRange)> body) {
    return loop(lower, upper, constant(step), carried, body);
  }
  void loop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body) {
    loop(lower, upper, constant(step), body);
  }
  void branch(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  /// `body(case)` for the case that `selector` equals; it always equals one of `cases`.
  void dispatch(Value selector, llvm::ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body);
};

} // namespace attnc
