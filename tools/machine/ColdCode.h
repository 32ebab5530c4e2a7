//===- ColdCode.h - measurement of instruction-cache misses of cold code ------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc::machine {

inline constexpr size_t lineBytes = 64; ///< bytes of a cache line

/// The cost of instructions that are fetched from a memory level below the instruction cache.
struct ColdCode {
  double call = 0; ///< seconds of a call of a function that occupies one cache line
  double line = 0; ///< additional seconds for each further cache line of 64 bytes of the function
};

/// Measures on the calling thread, in processor time. Calls generated functions in pseudo-random order; the functions
/// together have `bytes` bytes (rounded down to a power of two, at least 64 KiB), so that the memory level of this
/// capacity contains them. Both results are 0 if the system provides no executable memory.
ColdCode coldCode(size_t bytes);

} // namespace attnc::machine
