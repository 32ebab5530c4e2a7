//===- FlatBuilder.h - buffers as rows of floats ------------------------------------------------------------------===//
//
// The gemm kernels spell out every address: they see a buffer as one row of floats (`flat`) and compute offsets in it.
//
//   FlatBuilder code(frame.builder, frame.location, lanes);
//   Value source = code.flat(frame.buffer(argument));
//   code.loop(code.constant(0), rows, 1, [&](Value row) {
//     Value vector = code.load(source, code.mul(row, width));
//     ...
//   });
//
// Conditions and selectors that are known leave one branch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

class FlatBuilder : public LoopBuilder {
public:
  using LoopBuilder::ceilDiv;
  using LoopBuilder::div;
  using LoopBuilder::load;
  using LoopBuilder::loop;
  using LoopBuilder::LoopBuilder;
  using LoopBuilder::rem;
  using LoopBuilder::store;

  Value div(Value a, int64_t b) { return div(a, constant(b)); }
  Value rem(Value a, int64_t b) { return rem(a, constant(b)); }
  Value ceilDiv(Value a, Value b) { return div(add(a, sub(b, constant(1))), b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }

  /// The elements of a dense row-major buffer in one dimension.
  Value flat(Value memref);
  /// The same memref with a type that does not know its size.
  Value dynamic(Value memref);
  /// How many elements of a buffer a cache line holds.
  static int64_t lineElements(Value memref);
  /// Lanes where `mask` is false (i1s; null for all) are not touched and read as zero.
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
  /// `body(case)` where `selector` equals that case; one of `cases` always does.
  void dispatch(Value selector, llvm::ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body);
};

} // namespace attnc
