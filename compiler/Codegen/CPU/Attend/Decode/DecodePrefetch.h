//===- DecodePrefetch.h - software prefetch of the keys and values of a split ---------------------------------===//
//
// Cache lines are read in the order of their addresses, which hardware prefetchers follow. They are prefetched in step
// with the multiplications, PrefetchDistances::keyValueBytes (Isa.h) ahead: the keys of a block, its values, the keys
// of the next block.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeRows.h"

namespace attnc {

class DecodePrefetch : public DecodeChunk {
public:
  /// The elements (features or values) of consecutive keys in memory. Element e of the k-th key of the run is
  /// flat[offset + k * stride + e].
  struct Run {
    Value flat, offset, stride;
  };
  /// One for each load of keys (or values) whose address is a function of indices alone; maybe none.
  using Runs = llvm::SmallVector<Run, 2>;

  // `key` is counted from the first key of the block.

  /// The runs to prefetch while the keys from `key` on are read for product number `product`: later keys of the block,
  /// or, at the end of the last product, the block's values. If neither follows, these keys themselves, which are in
  /// the cache.
  Runs aheadOfProduct(unsigned product, const DecodeBlock &block, Value key) const;
  /// The runs to prefetch while the values of `key` are read: values of later keys of the block, or the features of
  /// product 0 of the next block, or, if neither follows, these values themselves.
  Runs aheadOfValues(const DecodeBlock &block, Value key) const;
  /// Emits a prefetch, in each run, of the cache line of element `number` of the run's key `key`.
  void prefetch(const Runs &runs, int64_t key, Value number) const;

private:
  Value keysAhead(const SizeExpr &keyFloats) const;
  Runs productRuns(unsigned product, Value key) const;
  Runs valueRuns(Value key) const;
  Run run(mlir::tensor::ExtractOp extract, llvm::function_ref<RegionVectoriser(Value key)> bind, Value key) const;
  void redirect(Runs &runs, const Runs &others, Value condition) const;
};

} // namespace attnc
