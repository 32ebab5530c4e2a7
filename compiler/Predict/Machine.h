//===- Machine.h - machine parameters of the cost model -----------------------------------------------------------===//
//
// The numbers that predictions use (Predict.h). Unless stated otherwise they are for one core. Rates are instructions
// per second, on vectors of the full register width. `attnc machine` measures them within seconds (tools/machine) and
// writes them to a file:
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

/// A memory level: a cache, or main memory.
struct MemoryLevel {
  std::string name;     ///< "L1", "L2", "L3", "memory"
  int64_t bytes = 0;    ///< capacity that one core can fill
  double read = 0;      ///< bytes per second, of one core
  double write = 0;     ///< the same, for lines that are overwritten
  double readByAll = 0; ///< read by all cores together
  double latency = 0;   ///< seconds of a load that no prefetcher predicted
  double call = 0;      ///< seconds of a call to one line of cold code in this level
  double codeLine = 0;  ///< seconds of each further line of code
};

struct Machine {
  std::string name;   ///< name of the processor
  std::string origin; ///< source of the numbers: a file, or "defaults for x86-64-v4"
  int64_t lanes = 0;  ///< f32 elements of a vector
  int64_t cores = 1;

  // Throughput: instructions per second.
  double fma = 0;        ///< fused multiply-adds, products
  double arithmetic = 0; ///< a mix of half multiply-adds and half additions, comparisons and the like
  double narrow = 0;     ///< the same on vectors of half the width
  double divide = 0;     ///< divisions
  double root = 0;       ///< square roots
  double shuffle = 0;
  double load = 0, store = 0; ///< hits in L1
  double broadcast = 0;       ///< loads of a scalar that is broadcast
  double gather = 0;          ///< elements
  double scalar = 0;          ///< integer additions, independent of each other
  double scalarDivide = 0;    ///< divisions of 64-bit integers
  double issue = 0;           ///< instructions of any kind

  // Seconds.
  double latency = 0;    ///< of a multiply-add
  double sumLatency = 0; ///< of an addition
  double forward = 0;    ///< from a masked store to a load that overlaps it: failed store forwarding
  double keeps = 0;      ///< until other programs evict untouched data from the last cache
  double launch = 0;     ///< launch of an empty kernel of one chunk
  double chunk = 0;      ///< each further chunk

  // Frequency/power licence: the upper lanes of full-width vectors are powered down when unused, and warm up again.
  double sleep = 0;  ///< seconds without use until they are powered down
  double wake = 0;   ///< seconds lost while they warm up
  double drowsy = 0; ///< slowdown of instructions during the warm-up

  std::vector<MemoryLevel> levels; ///< from L1 on

  double flops() const { return 2 * double(lanes) * fma; } ///< a second, of one core
  /// The first level with a capacity of at least `bytes`; the last level if there is none.
  const MemoryLevel &levelOf(int64_t bytes) const;
  /// Seconds of `kind` (latency, call or codeLine) at a reuse distance of `bytes`: interpolated between levels in the
  /// logarithm of the distance, as TLB misses grow with it.
  double secondsAt(int64_t bytes, double MemoryLevel::*kind) const;
  /// The share of data in the last cache that has been evicted after `seconds` without use.
  double forgotten(double seconds) const;
};

/// Default parameters: a core of recent servers, for vectors of `lanes` floats.
Machine defaultMachine(int64_t lanes);

/// The default file: $ATTN_MACHINE, or ~/.config/attnc/machine.json; empty without a home directory.
std::string defaultMachinePath();

/// Reads a file; an error names the path, the key and the expected value. machineText is the inverse.
llvm::Expected<Machine> readMachine(const std::string &path);
std::string machineText(const Machine &machine);

} // namespace attnc
