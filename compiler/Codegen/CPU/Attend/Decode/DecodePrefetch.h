//===- DecodePrefetch.h - software prefetch of the keys and values of a split -------------------------------------===//
//
// Phase 1 of the decode algorithm (AttendDecode.h) reads cache lines in the order of their addresses, which hardware
// prefetchers follow. In addition, its code prefetches them in step with the multiplications,
// PrefetchDistances::keyValueBytes (Isa.h) ahead. The order is: the keys of a block, its values, the keys of the next
// block. DecodeProducts and DecodeValues use this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeRows.h"

namespace attnc {

class DecodePrefetch : public DecodeChunk {
public:
  explicit DecodePrefetch(const DecodeChunk &chunk) : DecodeChunk(chunk), isInBlocks(readsBlocks(op())) {}

  /// A table has the places of blocks of keys or values (IndexUses::isLocated). A run is then in one block, so its
  /// first key should be a multiple of its number of keys.
  const bool isInBlocks;

  /// Where the elements (features or values) of consecutive keys are in memory: element e of the k-th key of the run is
  /// flat[offset + k * stride + e]. `flat` is a memref with one index.
  struct Run {
    Value flat, offset, stride;
  };
  /// One run for each load of keys (or values) that can be located (IndexUses::isLocated). The list may be empty.
  using Runs = llvm::SmallVector<Run, 2>;

  // `key` (index) is counted from the first key of the block.

  /// The runs to prefetch while the keys from `key` on are read for product number `product` of the score. They are
  /// later keys of the block. Where the last product is near the block's end, the first run is the block's values, if
  /// their element type is the same. All other runs near the end are these keys themselves, which are in the cache.
  Runs aheadOfProduct(unsigned product, const DecodeBlock &block, Value key) const;
  /// The run to prefetch while the values of `key` are read: values of a later key of the block, or the features of a
  /// key of the next block for product 0 if their element type is the same, or else these values themselves. Empty if
  /// values are not loaded from one tensor, or cannot be located.
  Runs aheadOfValues(const DecodeBlock &block, Value key) const;
  /// Emits one prefetch for each run: of the cache line of element `number` (index) of the run's key number `key`, to
  /// the cache PrefetchDistances::keyValueCache, or to the second-level cache if the keys are in the blocks of a paged
  /// cache.
  void prefetch(const Runs &runs, Value key, Value number) const;

private:
  static bool readsBlocks(mlir::attn::AttendOp op);
  Value keysAhead(const SizeExpr &keyFloats) const;
  Runs productRuns(unsigned product, Value key) const;
  Runs valueRuns(Value key) const;
  Run run(mlir::tensor::ExtractOp extract, llvm::function_ref<RegionVectoriser(Value key)> bind, Value key) const;
  void redirect(Runs &runs, const Runs &others, Value condition) const;
};

} // namespace attnc
