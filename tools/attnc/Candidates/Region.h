//===- Region.h - the part of an entry point that is compared -----------------------------------------------------===//
//
// One kernel of the default strategy may be several of another, with other names. So a region is identified by the
// imported ops that its kernels compute (RefusedFusions.h: numberOps), or by a source location. The gradient of a
// region has the ops that it is derived from, and belongs to the region too.
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
  std::string code;                     ///< equal where the code is (KernelStructure.h)
  std::vector<int64_t> ops = {};        ///< numbers of the imported ops that it computes, ascending
  std::vector<std::string> places = {}; ///< of them, without directories
  int64_t trafficBytes = 0;             ///< that it reads and writes in a call
  bool isAsDefault = false;             ///< the default has a kernel of the same code
  bool reachesBeyond = false;           ///< it computes more than what is of the region
};

class Region {
public:
  /// `what` is a kernel, a kind of kernels or a place, as overrides name them; empty: the whole entry point.
  explicit Region(std::string what = "") : what(std::move(what)) {}

  /// Finds it among the kernels of the default, where it was not found before; an error with the nearest names where it
  /// is none of them.
  llvm::Error find(const std::vector<CandidateKernel> &kernels, const std::string &entry);
  /// Leaves the kernels that have a part of the region.
  void keep(std::vector<CandidateKernel> &kernels) const;

  bool isWhole() const { return what.empty(); }
  const std::string &name() const { return what; }

private:
  std::string what;
  bool isFound = false;
  std::string place;        ///< where it is one, without directories
  std::vector<int64_t> ops; ///< else, ascending
};

} // namespace attnc
