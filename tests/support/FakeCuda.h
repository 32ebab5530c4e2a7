//===- FakeCuda.h - a driver in place of NVIDIA's ---------------------------------------------------------------===//
//
// tests/support/FakeCuda.cpp is a libcuda.so.1 whose devices lie in the host's memory. It does what the runtime asks,
// as late as a device may: what was launched runs when the host waits or copies back. A test sets what there is, what
// fails and what a kernel does, and sees what is left.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attnc {

struct FakeCuda {
  int devices = 1, capability = 80, blockBytes = 166912;
  std::map<std::string, int> failures; ///< what an entry point answers, by its name in the library
  /// The number of a kernel's parameters, 8 bytes each; and what it does: the answer is that of who waits for it.
  std::function<size_t(const std::string &kernel)> parameters;
  std::function<int(const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                    std::vector<uint64_t> parameters)>
      run;

  std::map<std::string, int> calls;                           ///< by name
  int allocations = 0, contexts = 0, modules = 0, pushed = 0; ///< that are still there
};

/// Of the libcuda.so.1 that this process finds; null where it is another one, or none.
FakeCuda *findFakeCuda();

} // namespace attnc
