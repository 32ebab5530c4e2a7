//===- ColdCode.h - how long code waits for itself ----------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc::machine {

struct ColdCode {
  double call = 0; ///< seconds until a function of one line runs and returns
  double line = 0; ///< seconds for each further line of 64 bytes
};

/// Of functions that are called in no order, of so many bytes together. Zeros where no memory can be had that code may
/// run from.
ColdCode coldCode(size_t bytes);

} // namespace attnc::machine
