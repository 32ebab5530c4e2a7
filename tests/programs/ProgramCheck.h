//===- ProgramCheck.h - a program, compiled and called, against the oracle ----------------------------------------===//
//
// The program is compiled in this process as `attnc compile` does, and each entry point is called in guarded memory.
// Results, states and updated parameters are those of the oracle but for rounding (Tolerance.h, RoundingSamples.h), the
// same bits with other threads and addresses; the oracle's gradient of a smooth function is what finite differences of
// the oracle say. Stored in 16 bits, caches among them, a smooth program is as near to the oracle as StorageBound.h
// says, and any program has to run, to the same bits. Caches have any positions in them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/programs/RandomProgram.h"

namespace attnc::programs {

struct Verdict {
  enum Kind {
    Right,
    Refused, ///< by the checker, or as not supported, with a message
    Wrong,   ///< a crash, an internal error, or other results than the oracle's
  };
  Kind kind = Right;
  std::string message = "";
};

Verdict check(const RandomProgram &program);
/// The same in a child process, which may crash, or take longer than `seconds`: that is wrong.
Verdict checkInChild(const RandomProgram &program, unsigned seconds = 300);

} // namespace attnc::programs
