//===- WideSleep.h - measurement of the wide-vector warm-up -------------------------------------------------------===//
#pragma once

namespace attnc::machine {

/// Processors power down the upper lanes of vector units after a time without use, and then execute 512-bit
/// instructions slowly until the lanes are powered up again.
struct WideSleep {
  double after; ///< seconds without 512-bit instructions until the lanes are powered down
  double lost;  ///< additional seconds that a warm-up takes
  double times; ///< factor by which instructions are slower during the warm-up
};

/// Measures this core. If its lanes are never powered down, the result is 1000 seconds, almost 0 seconds, and 1.
WideSleep wideSleep();

} // namespace attnc::machine
