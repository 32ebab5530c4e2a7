//===- WideSleep.h - measurement of the wide-vector warm-up -------------------------------------------------------===//
#pragma once

namespace attnc::machine {

/// Some processors power down the upper lanes of their vector units after a time without use, and then execute 512-bit
/// instructions slowly until the lanes are powered up again: the wide-vector warm-up.
struct WideSleep {
  double after; ///< seconds without 512-bit instructions until the lanes are powered down
  double lost;  ///< seconds that a warm-up adds to the time of the instructions executed during it
  double times; ///< factor by which 512-bit instructions are slower during the warm-up
};

/// Measures the calling thread's core, in wall-clock time. If the processor has no AVX-512, or if no warm-up is found
/// after up to 128 µs without use, the result is {1000, 1e-12, 1}.
WideSleep wideSleep();

} // namespace attnc::machine
