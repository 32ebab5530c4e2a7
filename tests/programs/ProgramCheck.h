//===- ProgramCheck.h - comparison of a random program with the oracle --------------------------------------------===//
//
// The program is compiled in this process as by `attnc compile`, and each entry point is called in guarded memory.
// Results, states and updated parameters must equal the oracle's up to rounding (Tolerance.h, RoundingSamples.h), and
// be bitwise equal for other threads and addresses. The oracle's gradient of a smooth function must equal its finite
// differences. With 16-bit storage, also of caches, a smooth program must satisfy the bound of StorageBound.h, and any
// program must run with bitwise equal results. Caches contain any number of positions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/programs/RandomProgram.h"

namespace attnc::programs {

struct Verdict {
  enum Kind {
    Right,
    Refused, ///< by the checker, or as unsupported, with a message
    Wrong,   ///< a crash, an internal error, or results other than the oracle's
  };
  Kind kind = Right;
  std::string message = "";
};

Verdict check(const RandomProgram &program);
/// Checks in a child process. A crash, or a run longer than `seconds`, is wrong.
Verdict checkInChild(const RandomProgram &program, unsigned seconds = 300);

} // namespace attnc::programs
