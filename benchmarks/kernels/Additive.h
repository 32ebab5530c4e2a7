//===- Additive.h - benchmark of additive attention ------------------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Prints the times of one head of additive attention with 1024 queries and keys and 64 features, forward and backward,
/// relative to a loop that computes one tanh for each query–key pair and feature.
void runAdditive();

} // namespace attnc::bench
