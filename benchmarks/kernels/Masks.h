//===- Masks.h - benchmark of sparse attention masks -----------------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Times each kind of mask over one head of 4096 queries and keys with 64 features:
///
///   ratio = (masked seconds / full seconds) / fraction of blocks, 64 queries by 128 keys, with an unmasked pair
///
/// For a dilated mask, blocks are counted with queries and keys in the order of their residue classes, so the fraction
/// is that within one class divided by the number of classes. The table of 64 by 64 blocks has blocks of that size.
void runMasks();

} // namespace attnc::bench
