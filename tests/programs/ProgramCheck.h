//===- ProgramCheck.h - comparison of a random program with the oracle --------------------------------------------===//
//
// A random program (RandomProgram.h) is compiled in this process as by `attnc compile`, and each entry point is called
// in guarded memory (GuardedBuffer.h). Results, states and updated parameters must equal the oracle's up to rounding
// (Tolerance.h, RoundingSamples.h). They must be bitwise equal for other numbers of threads and other addresses. The
// oracle's gradient of a smooth function must equal its finite differences. With 16-bit storage, a smooth program must
// satisfy the bound of StorageBound.h; any program must give bitwise equal results. Caches contain any number of
// positions.
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
  std::string message = ""; ///< the difference or the compiler's message; empty if Right
};

/// Compiles and calls the program in this process, which a fault of generated code may end.
Verdict check(const RandomProgram &program);
/// The same in a child process. A crash, or a run longer than `seconds`, is Wrong.
Verdict checkInChild(const RandomProgram &program, unsigned seconds = 300);

} // namespace attnc::programs
