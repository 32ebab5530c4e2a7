//===- PagedCaches.h - key-value caches in blocks that rows share -------------------------------------------------===//
//
// With model.paged = n, the caches of next and next_prefill (Incremental.h) are pools of blocks of n positions. The
// dimension of rows of a cache becomes the number of `blocks`, and its dimension of positions has the size n. The
// argument table: i32[batch, row_blocks] has the blocks of each row: position p of row b is in block table[b, p / n]
// of every cache, at position p mod n. Rows may share blocks, and the caller assigns blocks to rows.
//
//   keys: [12, batch, 12, capacity, 64]         becomes  keys: [12, blocks, 12, 16, 64]
//   keys[l, b, h, j, d]                         becomes  keys[l, table[b, j / 16], h, j mod 16, d]
//
// model.append checks the entries of the table for all positions up to the last one of the call, before anything is
// written. Other entries may be any number. Reads clamp blocks into range, so they need no checks
// (attn::provedAttrName). Row b of a call of next_prefill has `count[b]` positions, because positions that pad a row
// have no blocks. Its attention therefore masks the keys from length[b] + count[b] on.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// Sets IncrementalPlan::blockSize by model.paged of the function. The caches must be planned. Fails with an error at a
/// cached value that is not read by `attend` alone, if the function has no rows, or if n does not divide the bound of
/// the positions.
mlir::LogicalResult planPaged(IncrementalPlan &plan);
/// In a formula at the builder of `chunk`: replaces the subscripts of a row and of a position, elements `row` and
/// `position` of `subscripts`, by those of the block and of the position in the block. `pool` is a cache (not a list).
/// `outside` is the op that contains the formula.
void toBlocks(ChunkValues &chunk, mlir::Value pool, unsigned row, unsigned position, mlir::Operation *outside,
              llvm::SmallVectorImpl<mlir::Value> &subscripts);

} // namespace attnc
