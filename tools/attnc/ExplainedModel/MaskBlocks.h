//===- MaskBlocks.h - density of an attention mask by blocks of queries and keys --------------------------------===//
//
// For display: the share of unmasked pairs in each block of queries and keys. Blocks have the sizes of the schedule's
// tiles, or multiples of them, so that there are few. The oracle evaluates the mask on an even sample of each block's
// pairs, including its first and last queries and keys. Generated code does not use this analysis.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct MaskBlocks {
  std::string problem;                     ///< reason why there is no map, such as a mask that reads a tensor
  int64_t queries = 0, keys = 0;           ///< products of the sizes of indices that the mask depends on
  int64_t blockQueries = 0, blockKeys = 0; ///< size of a block; the last ones may be smaller
  int64_t rows = 0, columns = 0;           ///< numbers of blocks
  std::vector<float> kept;                 ///< share of unmasked pairs of each block, row by row
};

/// "1024 x 1024 pairs, 50 % unmasked; 44 % of the blocks of 64 x 64 are empty".
std::string summaryOf(const MaskBlocks &mask);

/// The share of all pairs that are unmasked.
double keptShare(const MaskBlocks &mask);

/// The mask blocks of a kernel with the sizes `symbols` (SizeAnalysis::ofKernel); null unless it contains attention, or
/// a gradient of attention, with a mask.
std::optional<MaskBlocks> maskBlocksOf(mlir::func::FuncOp kernel, llvm::ArrayRef<std::optional<int64_t>> symbols);

} // namespace attnc
