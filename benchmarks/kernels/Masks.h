//===- Masks.h - benchmark of sparse attention masks -----------------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Prints, for each kind of mask over one head of 4096 queries and keys with 64 features, the ratio
///
///   (masked seconds / unmasked seconds) / fraction of blocks with an unmasked pair
///
/// Blocks have 64 queries and 128 keys; for the mask that reads a table of 64 by 64 blocks, they have 64 keys. For a
/// dilated mask, blocks are counted with queries and keys in the order of their residue classes, so the fraction is
/// that within one class divided by the number of classes.
void runMasks();

} // namespace attnc::bench
