//===- ChunkRings.h - ring caches (sliding windows) in next and next_prefill --------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// In next_prefill: returns `rows`, the retained value at the positions of the call, preceded along their dimension by
/// the `window` positions before them from the ring. Positions before the first one of all have arbitrary values.
mlir::Value prependEarlier(ChunkValues &chunk, mlir::Value rows, mlir::Value ring, const RetainedValue &retained);
/// Returns the ring cache that holds the keys of an attend; null if there is none.
const RetainedValue *ringOf(const ChunkValues &chunk, mlir::attn::AttendOp op);
/// Returns the number of keys of an attend whose keys are in a ring cache, an `index`: in next the size of the ring, in
/// next_prefill the window and the positions of the call.
mlir::Value ringKeys(ChunkValues &chunk, mlir::attn::AttendOp op, const RetainedValue &ring);

} // namespace attnc
