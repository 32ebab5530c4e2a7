//===- Region.h - the part of an entry point that is compared -----------------------------------------------------===//
//
// `attnc compare` compares the kernels of one region of an entry point between strategies. One kernel of the default
// strategy may correspond to several kernels of another strategy, with other names. A region is therefore identified by
// the ops of the imported module that its kernels compute, which are numbered (numberOps of RefusedFusions.h), or by a
// source location. Ops of the gradient have the numbers of the ops that they are derived from, so they belong to the
// same region.
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
  std::string code;                     ///< a text that is equal for equal code: emitter and kernelStructure()
  std::vector<int64_t> ops = {};        ///< numbers of the imported ops that the kernel computes, ascending
  std::vector<std::string> places = {}; ///< source locations of these ops, without folders: "gpt.attn:12:5"
  int64_t trafficBytes = 0;             ///< bytes that all launches of the kernel read and write in a call
  bool isAsDefault = false;             ///< the default strategy has a kernel of the same code
  bool reachesBeyond = false;           ///< the kernel also computes ops outside of the region; set by Region::keep()
};

class Region {
public:
  /// `what` is the name of a kernel, a kernel kind, or a source location "gpt.attn:12:5" (line and column), as in the
  /// scope of an override; empty: the whole entry point.
  explicit Region(std::string what = "") : what(std::move(what)) {}

  /// Finds the region among `kernels`, all kernels of the entry point `entry` by the default strategy. Does nothing for
  /// the whole entry point, or if called before. An error, with similar names, if no kernel matches.
  llvm::Error find(const std::vector<CandidateKernel> &kernels, const std::string &entry);
  /// Removes the kernels that compute no part of the region, and sets `reachesBeyond` of the others. Requires find().
  void keep(std::vector<CandidateKernel> &kernels) const;

  bool isWhole() const { return what.empty(); } ///< the region is the whole entry point
  const std::string &name() const { return what; }

private:
  std::string what;
  bool isFound = false;     ///< find() was called
  std::string place;        ///< the source location, without directories; empty for other regions
  std::vector<int64_t> ops; ///< numbers of the ops of other regions, ascending
};

} // namespace attnc
