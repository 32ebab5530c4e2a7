//===- ColdCode.h - measurement of instruction-cache misses of cold code ------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc::machine {

struct ColdCode {
  double call = 0; ///< seconds of a call of a function of one cache line
  double line = 0; ///< seconds for each further cache line of 64 bytes
};

/// Measures calls, in pseudo-random order, of functions that together have `bytes` bytes. Zeros if the system provides
/// no executable memory.
ColdCode coldCode(size_t bytes);

} // namespace attnc::machine
