//===- Masks.h - benchmark of sparse attention masks --------------------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Prints to standard output, for each kind of mask over one head with 4096 queries, 4096 keys and 64 features, the
/// masked time, the share of blocks, and the ratio
///
///   (masked seconds / unmasked seconds) / share of blocks with an unmasked query–key pair
///
/// A ratio of 1 means that empty blocks cost nothing. Blocks have 64 queries and 128 keys; for the mask that reads a
/// table of 64 by 64 blocks, they have 64 keys. For a dilated mask, queries and keys are counted in the order of their
/// residue classes; the share is that within one class, divided by the number of classes.
void runMasks();

} // namespace attnc::bench
