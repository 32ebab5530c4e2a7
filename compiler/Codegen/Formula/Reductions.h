//===- Reductions.h - attn.reduce as loops over vectors ---------------------------------------------------------===//
//
// The vectorisers of a register tile share the loops of a reduction: one loop with an accumulator for each of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// Binds the result of `op` in each vectoriser of the tile.
void evaluateReduction(llvm::ArrayRef<RegionVectoriser *> tile, mlir::attn::ReduceOp op);

} // namespace attnc
