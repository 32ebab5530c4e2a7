//===- Reductions.h - vectorised evaluation of attn.reduce --------------------------------------------------------===//
//
// `attn.reduce` combines the values of a formula over the ranges of its indices, e.g. the dot product of a score. A
// tile is a list of RegionVectorisers, each with the bindings of other points: 4 keys times 4 vectors of queries are 16
// vectorisers. All vectorisers of a tile share one loop nest for a reduction, with an accumulator in registers for each
// vectoriser. They must have the same builder and number of lanes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"

namespace attnc {

/// Evaluates `value`, a value of the formula, in each vectoriser: element n is the result of tile[n], a scalar or a
/// vector as RegionVectoriser::evaluate() returns. The reductions that `value` depends on are evaluated together first.
llvm::SmallVector<mlir::Value> evaluateTogether(llvm::ArrayRef<RegionVectoriser *> tile, mlir::Value value);

/// Emits the loops of `op` at the insertion point and binds its result in each vectoriser of the tile. The accumulators
/// start with the neutral element; they are vectors if the result varies over the lanes of any vectoriser, otherwise
/// scalars. Nothing is emitted if the result is bound in all vectorisers; if it is bound in some only, it is replaced.
/// The sizes of `op` must be uniform and equal in the tile. All that its term depends on, except the reduction's own
/// indices, must be bound.
void evaluateReduction(llvm::ArrayRef<RegionVectoriser *> tile, mlir::attn::ReduceOp op);

} // namespace attnc
