//===- Masks.h - masks by the share of blocks that they keep ---------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Each kind of mask over one head of 4096 queries and keys of 64 features:
///
///   ratio = (masked seconds / full seconds) / share of the blocks, 64 queries by 128 keys, that hold a kept pair
///
/// Blocks of a dilated mask are counted with queries and keys in the order of their residues, so that its share is that
/// of the mask within one residue, divided by the number of residues; those of a table of 64 by 64 are of that size.
void runMasks();

} // namespace attnc::bench
