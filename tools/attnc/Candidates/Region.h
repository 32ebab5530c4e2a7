//===- Region.h - the part of an entry point that is compared -----------------------------------------------------===//
//
// One kernel of the default strategy may be several kernels of another, with other names. A region is therefore
// identified by the imported ops that its kernels compute (numberOps of RefusedFusions.h), or by a source location. The
// gradient of these ops has their numbers, so it belongs to the region too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// A kernel that a candidate's entry point launches.
struct CandidateKernel {
  std::string name, kind, emitter;
  std::string code;                     ///< a text that is equal for equal code (KernelStructure.h)
  std::vector<int64_t> ops = {};        ///< numbers of the imported ops that it computes, ascending
  std::vector<std::string> places = {}; ///< source locations of these ops, without directories
  int64_t trafficBytes = 0;             ///< bytes that it reads and writes in a call
  bool isAsDefault = false;             ///< the default has a kernel of the same code
  bool reachesBeyond = false;           ///< it also computes ops outside of the region
};

class Region {
public:
  /// `what` is a kernel, a kind of kernels or a place, as overrides name them; empty: the whole entry point.
  explicit Region(std::string what = "") : what(std::move(what)) {}

  /// Finds the region among the kernels of the default strategy, unless it was found before. Fails, with the nearest
  /// names, if no kernel matches. `entry` is the entry point's name, for the message.
  llvm::Error find(const std::vector<CandidateKernel> &kernels, const std::string &entry);
  /// Removes the kernels that compute no part of the region.
  void keep(std::vector<CandidateKernel> &kernels) const;

  bool isWhole() const { return what.empty(); }
  const std::string &name() const { return what; }

private:
  std::string what;
  bool isFound = false;
  std::string place;        ///< the source location, without directories; empty for other regions
  std::vector<int64_t> ops; ///< numbers of the ops of other regions, ascending
};

} // namespace attnc
