//===- Additive.h - benchmark of additive attention ---------------------------------------------------------------===//
#pragma once

namespace attnc::bench {

/// Measures one head of additive attention (score = sum over features of c tanh(w + u)) with 1024 queries, 1024 keys
/// and 64 features, on one thread. Prints to standard output the time of the forward pass, also relative to a loop that
/// computes one tanh for each query–key pair and feature, and the time of the backward pass, also relative to the
/// forward pass.
void runAdditive();

} // namespace attnc::bench
