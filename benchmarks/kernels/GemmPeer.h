//===- GemmPeer.h - matrix product of a library, for comparison ---------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>

namespace attnc::bench {

/// A closure that computes a product of rows x depth by depth x columns on one thread, in fp32, by the library, with
/// weights in the layout that the library prefers. Empty if the benchmark was built without a library.
std::function<void()> gemmPeer(int64_t rows, int64_t columns, int64_t depth);

} // namespace attnc::bench
