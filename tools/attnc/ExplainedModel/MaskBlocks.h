//===- MaskBlocks.h - which blocks of pairs a mask keeps --------------------------------------------------------===//
//
// For people to see: the mask of an attention over blocks of queries and keys, of the sizes that its schedule has, or
// of multiples of these, so that there are few. The mask is evaluated by the oracle's formulas on an even sample of
// each block's pairs, its first and last queries and keys among them; generated code has an analysis of its own.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct MaskBlocks {
  std::string problem;                     ///< why there is no map, such as a tensor that decides; else what follows
  int64_t queries = 0, keys = 0;           ///< of all indices that the mask is a function of
  int64_t blockQueries = 0, blockKeys = 0; ///< of one block; the last ones may be smaller
  int64_t rows = 0, columns = 0;           ///< numbers of blocks
  std::vector<float> kept;                 ///< the share of pairs that is kept, row by row
};

/// "1024 x 1024 pairs keep 50 %; 44 % of the blocks of 64 x 64 are empty".
std::string summaryOf(const MaskBlocks &mask);

/// The share of all pairs that the mask keeps.
double keptShare(const MaskBlocks &mask);

/// The mask blocks of a kernel with the sizes `symbols` (SizeAnalysis::ofKernel); null unless it contains attention, or
/// a gradient of attention, with a mask.
std::optional<MaskBlocks> maskBlocksOf(mlir::func::FuncOp kernel, llvm::ArrayRef<std::optional<int64_t>> symbols);

} // namespace attnc
