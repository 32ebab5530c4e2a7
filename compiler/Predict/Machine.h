//===- Machine.h - a processor in a few measured numbers ----------------------------------------------------------===//
//
// What predictions are made of (Predict.h). Every number is of one core unless it says otherwise. Rates are
// instructions a second, of vectors as wide as the processor's registers; `attnc machine` measures them in seconds
// (tools/machine) and keeps them in a file:
//
//   {"name": "AMD EPYC", "lanes": 16, "fma": 8.4e9, ..., "levels": [{"name": "L1", "bytes": 49152, ...}, ...]}
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// A cache, or what lies behind all of them.
struct MemoryLevel {
  std::string name;     ///< "L1", "L2", "L3", "memory"
  int64_t bytes = 0;    ///< that one core can fill
  double read = 0;      ///< bytes a second, of one core
  double write = 0;     ///< the same, of lines that are overwritten
  double readByAll = 0; ///< of all cores together
  double latency = 0;   ///< seconds until a line is there that nothing foresaw
  double call = 0;      ///< seconds of a call of code from there that is one line long
  double codeLine = 0;  ///< seconds of each further line of it
};

struct Machine {
  std::string name;   ///< the processor's own
  std::string origin; ///< where the numbers come from: a file, or "defaults for x86-64-v4"
  int64_t lanes = 0;  ///< floats of a vector
  int64_t cores = 1;

  // Instructions a second.
  double fma = 0;        ///< fused multiply-adds, and products
  double arithmetic = 0; ///< of a mix of half of those and half additions, comparisons and the like
  double narrow = 0;     ///< the same of vectors half as wide
  double divide = 0;     ///< divisions
  double root = 0;       ///< square roots
  double shuffle = 0;
  double load = 0, store = 0; ///< of the nearest cache
  double broadcast = 0;       ///< loads of one element, spread over a vector
  double gather = 0;          ///< of elements
  double scalar = 0;          ///< additions of integers: as many as can begin at once
  double scalarDivide = 0;    ///< divisions of 64-bit integers
  double issue = 0;           ///< instructions of any kind

  // Seconds.
  double latency = 0;    ///< until the result of a multiply-add can be used
  double sumLatency = 0; ///< until that of an addition can
  double forward = 0;    ///< from a part of a vector that is stored to the next one, which overlaps it and is loaded
  double keeps = 0;      ///< that the last cache keeps what nobody touches: others may use it too
  double launch = 0;     ///< a kernel of one chunk that does nothing
  double chunk = 0;      ///< each further chunk

  // The upper halves of whole vectors sleep where nothing has used them for a while.
  double sleep = 0;  ///< seconds of that while
  double wake = 0;   ///< seconds that are lost until they are awake
  double drowsy = 0; ///< how many times as long instructions take until then

  std::vector<MemoryLevel> levels; ///< the nearest first

  double flops() const { return 2 * double(lanes) * fma; }
  /// The first level that holds so many bytes.
  const MemoryLevel &levelOf(int64_t bytes) const;
  /// Seconds of `kind` for what lies so many bytes away: between levels it grows as the logarithm of the bytes does,
  /// for more and more of the translations of addresses have to be looked up too.
  double secondsAt(int64_t bytes, double MemoryLevel::*kind) const;
  /// The share of what lies in the last cache that is no longer there so many seconds after it was touched.
  double forgotten(double seconds) const;
};

/// What is taken where no file says otherwise: a core of recent servers, for code of `lanes` floats a vector.
Machine defaultMachine(int64_t lanes);

/// The file that is read where none is named: $ATTN_MACHINE, or ~/.config/attnc/machine.json. Empty where there is no
/// home.
std::string defaultMachinePath();

llvm::Expected<Machine> readMachine(const std::string &path);
std::string machineText(const Machine &machine);

} // namespace attnc
