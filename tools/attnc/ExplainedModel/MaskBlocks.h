//===- MaskBlocks.h - density of an attention mask by blocks of queries and keys ----------------------------------===//
//
// For display: the share of unmasked query–key pairs in each block of queries and keys. Blocks have the sizes of the
// schedule's tiles (64 without tiles), doubled until there are at most 48 blocks along each side. The oracle evaluates
// the mask on an even sample of at most 16 × 16 pairs of a block, including its first and last queries and keys, so
// shares are estimates for larger blocks. Generated code does not use this analysis.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct MaskBlocks {
  std::string problem; ///< reason why there is no map, such as a mask that reads a tensor; the rest then does not count
  /// Numbers of queries and of keys: products of the sizes of the outer and of the key indices that the mask depends
  /// on; if it depends on none of them, the size of the last one.
  int64_t queries = 0, keys = 0;
  int64_t blockQueries = 0, blockKeys = 0; ///< queries and keys of a block; the last blocks may be smaller
  int64_t rows = 0, columns = 0;           ///< numbers of blocks along the queries and along the keys
  std::vector<float> kept; ///< share of unmasked pairs of each block, 0 to 1: rows × columns, row-major
};

/// A sentence: "1024 x 1024 pairs, 50 % unmasked; 44 % of the blocks of 64 x 64 are empty". Requires an empty
/// `problem`.
std::string summaryOf(const MaskBlocks &mask);

/// The share of all pairs that are unmasked, 0 to 1. Requires an empty `problem`.
double keptShare(const MaskBlocks &mask);

/// The mask blocks of a kernel function. `symbols` has the values of its sizes in the order of SizeAnalysis::ofKernel;
/// null if unknown. Null unless the kernel contains attention, or a gradient of attention, with a mask.
std::optional<MaskBlocks> maskBlocksOf(mlir::func::FuncOp kernel, llvm::ArrayRef<std::optional<int64_t>> symbols);

} // namespace attnc
