//===- GemmPeer.h - matrix product of oneDNN, for comparison ------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>

namespace attnc::bench {

/// A closure that computes the product of a matrix of `rows` × `depth` and one of `depth` × `columns` on one thread, in
/// f32, by oneDNN. The closure owns its operands, which are random; the right operand has the layout that oneDNN
/// prefers. Sets OMP_NUM_THREADS to 1. Empty if the benchmark was built without oneDNN.
std::function<void()> gemmPeer(int64_t rows, int64_t columns, int64_t depth);

} // namespace attnc::bench
