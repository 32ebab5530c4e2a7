//===- ChunkRings.h - ring caches of sliding-window attention in next and next_prefill ----------------------------===//
//
// A ring cache holds the last positions of each row: position p is at index p mod RetainedValue::ringSize. In next, an
// attend runs over the ring itself. In next_prefill, it runs over the `window` positions before the call, copied from
// the ring in order, followed by the positions of the call (Incremental.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// In next_prefill: concatenates, along the dimension of positions, the `window` positions before the call, which are
/// read from `ring`, and `rows`, the retained value at the positions of the call. Elements of positions before position
/// 0 are arbitrary. Returns `rows` itself if the window is 0.
mlir::Value prependEarlier(ChunkValues &chunk, mlir::Value rows, mlir::Value ring, const RetainedValue &retained);
/// Returns a ring cache that `op`, an attend of f, reads at its keys; null if there is none. All ring caches of one
/// attend have the same window and size.
const RetainedValue *ringOf(const ChunkValues &chunk, mlir::attn::AttendOp op);
/// The number of keys, an `index`, over which the new attend runs if the keys of `op` are in `ring`: in next the size
/// of the ring, in next_prefill the window plus the positions of the call.
mlir::Value ringKeys(ChunkValues &chunk, mlir::attn::AttendOp op, const RetainedValue &ring);

} // namespace attnc
