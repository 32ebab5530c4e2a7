//===- DecodePrefetch.h - software prefetch of the keys and values of a split ---------------------------------===//
//
// Cache lines are read in the order of their addresses, which hardware prefetchers follow, and prefetched 6 KB ahead
// in step with the multiplications: the keys of a block, its values, the keys of the next block.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeRows.h"

namespace attnc {

class DecodePrefetch : public DecodeChunk {
public:
  /// The floats of consecutive keys in memory: flat[offset + key * stride + float].
  struct Run {
    Value flat, offset, stride;
  };
  using Runs = llvm::SmallVector<Run, 2>;

  /// The runs to prefetch while the keys from `key` on of a block are read for a product: later keys of the block, or
  /// the values that are read after them. If nothing follows, these keys themselves, which are in the cache.
  Runs aheadOfProduct(unsigned product, const DecodeBlock &block, Value key) const;
  /// The runs to prefetch while the values of one key are read.
  Runs aheadOfValues(const DecodeBlock &block, Value key) const;
  /// Prefetches the line of one float of a key.
  void prefetch(const Runs &runs, int64_t key, Value number) const;

private:
  Value keysAhead(const SizeExpr &keyFloats) const;
  Runs productRuns(unsigned product, Value key) const;
  Runs valueRuns(Value key) const;
  Run run(mlir::tensor::ExtractOp extract, llvm::function_ref<RegionVectoriser(Value key)> bind, Value key) const;
  void redirect(Runs &runs, const Runs &others, Value condition) const;
};

} // namespace attnc
