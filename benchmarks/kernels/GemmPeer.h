//===- GemmPeer.h - the matrix product of a library, to be measured beside ours -----------------------------------===//
#pragma once

#include <cstdint>
#include <functional>

namespace attnc::bench {

/// rows x depth by depth x columns on one thread, in fp32, with weights in the form that the library likes best. Empty
/// where the benchmark was built without a library.
std::function<void()> gemmPeer(int64_t rows, int64_t columns, int64_t depth);

} // namespace attnc::bench
