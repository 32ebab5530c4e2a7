//===- Additive.h - additive attention, by the time of its tanhs -----------------------------------------------===//
#pragma once

namespace attnc::bench {

/// One head of 1024 queries and keys of 64 features, forward and backward, beside a loop that takes the tanh of as many
/// numbers as there are pairs and features.
void runAdditive();

} // namespace attnc::bench
