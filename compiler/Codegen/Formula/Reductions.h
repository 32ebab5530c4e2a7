//===- Reductions.h - attn.reduce as loops over vectors ---------------------------------------------------------===//
//
// The vectorisers of a register tile share the loops of a reduction: one loop with an accumulator for each of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// The same value in each of several vectorisers, such as a register tile of 4 keys times 4 vectors of queries.
llvm::SmallVector<mlir::Value> evaluateTogether(llvm::ArrayRef<RegionVectoriser *> tile, mlir::Value value);

/// Binds the result of `op` in each vectoriser of the tile.
void evaluateReduction(llvm::ArrayRef<RegionVectoriser *> tile, mlir::attn::ReduceOp op);

} // namespace attnc
