//===- Machine.h - machine parameters of the cost model -----------------------------------------------------------===//
//
// The parameters of one processor that predictions use (Predict.h). Unless stated otherwise they are for one core.
// Rates are instructions per second, on vectors of the full register width. `attnc machine` measures the parameters
// within seconds (tools/machine) and writes them to a JSON file:
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
  int64_t bytes = 0;    ///< capacity that one core can fill; INT64_MAX for main memory
  double read = 0;      ///< bytes per second that one core reads
  double write = 0;     ///< bytes per second of lines that one core overwrites
  double readByAll = 0; ///< bytes per second that all cores together read
  double latency = 0;   ///< seconds of a load that no prefetcher predicted
  double call = 0;      ///< seconds of a call of a function of one cache line whose code is in this level
  double codeLine = 0;  ///< seconds of each further line of the function
};

/// The parameters of a processor. An object of readMachine() or defaultMachine() has at least two levels and positive
/// rates.
struct Machine {
  std::string name;   ///< name of the processor
  std::string origin; ///< source of the numbers, for messages: the path of a file, or a text about the defaults
  int64_t lanes = 0;  ///< f32 elements of a vector; a power of two
  int64_t cores = 1;

  // Throughput: instructions per second.
  double fma = 0;        ///< fused multiply-adds, products
  double arithmetic = 0; ///< a mix of half multiply-adds and half additions, comparisons and the like
  double narrow = 0;     ///< the same mix on vectors of half the width
  double divide = 0;     ///< divisions
  double root = 0;       ///< square roots
  double shuffle = 0;
  double load = 0, store = 0; ///< hits in L1
  double broadcast = 0;       ///< loads of a scalar that is broadcast
  double gather = 0;          ///< elements of gathers
  double scalar = 0;          ///< integer additions, independent of each other
  double scalarDivide = 0;    ///< divisions of 64-bit integers
  double issue = 0;           ///< instructions of any kind

  // Seconds.
  double latency = 0;    ///< latency of a multiply-add
  double sumLatency = 0; ///< latency of an addition
  double forward = 0;    ///< from a masked store to a load that overlaps it: failed store forwarding
  double keeps = 0;      ///< typical time until other programs evict untouched data from the last cache
  double launch = 0;     ///< launch of an empty kernel phase of one chunk
  double chunk = 0;      ///< each further chunk

  // Frequency/power licence: the upper lanes of full-width vectors are powered down when unused, and warm up again.
  double sleep = 0;  ///< seconds without use until they are powered down
  double wake = 0;   ///< seconds lost while they warm up
  double drowsy = 0; ///< factor, at least 1, by which instructions take longer during the warm-up

  std::vector<MemoryLevel> levels; ///< from L1 to main memory

  double flops() const { return 2 * double(lanes) * fma; } ///< peak floating-point operations per second of one core
  /// The first level with a capacity of at least `bytes`; the last level if there is none.
  const MemoryLevel &levelOf(int64_t bytes) const;
  /// Seconds of `kind` (&MemoryLevel::latency, call or codeLine) at a reuse distance of `bytes`: that of a cache at
  /// half of its capacity, that of memory from four times the last cache on, and interpolated in between in the
  /// logarithm of the distance, because TLB misses grow with the distance.
  double secondsAt(int64_t bytes, double MemoryLevel::*kind) const;
  /// The share of data in the last cache that other programs have evicted after `seconds` without use: 0 up to half of
  /// `keeps`, 0.5 after `keeps`, and 1 from twice `keeps` on.
  double forgotten(double seconds) const;
};

/// Default parameters: a core of recent servers at 3 GHz, for vectors of `lanes` f32 elements.
Machine defaultMachine(int64_t lanes);

/// The path of the default file: the environment variable ATTN_MACHINE, or ~/.config/attnc/machine.json; empty if HOME
/// is not set either.
std::string defaultMachinePath();

/// Reads and validates a machine file; `origin` of the result is `path`. An error names the path and, if a value is
/// missing or invalid, the key and the expected value. The keys `name`, `cores` (default 1) and, in a level, `name` and
/// `bytes` (default INT64_MAX) may be absent.
llvm::Expected<Machine> readMachine(const std::string &path);
/// The content of the machine file, which readMachine() reads.
std::string machineText(const Machine &machine);

} // namespace attnc
