//===- FakeCuda.h - a driver in place of NVIDIA's ---------------------------------------------------------------===//
//
// tests/support/FakeCuda.cpp is a libcuda.so.1 whose devices lie in the host's memory. It does what the runtime asks,
// as late as a device may: what was put into a stream runs when the host waits for it, and reads page-locked memory of
// the host no earlier. A test sets what there is, what fails and what a kernel does, and sees what is left.
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
  int ptxVersion = 88;                 ///< the newest that the driver knows: 88 for 8.8
  int ownBlockBytes = 0;               ///< that every function has besides what launches ask for
  std::map<std::string, int> failures; ///< what an entry point answers, by its name in the library
  int failing = 0;                     ///< the number of the call, from 1, that answers CUDA_ERROR_UNKNOWN; 0: none
  /// What a kernel does, whose parameters have 8 bytes each: the answer is that of who waits for it.
  std::function<int(const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                    std::vector<uint64_t> parameters)>
      run;

  std::map<std::string, int> calls; ///< by name
  int numCalls = 0;
  std::map<std::string, int64_t> bytes; ///< copied, by name; of "memory", those that are still there
  std::string lastFailed;               ///< because `failing` said so
  std::map<std::string, int> alive;     ///< "memory", "host memory", "stream", "graph", ...: that are still there
};

/// Of the libcuda.so.1 that this process finds; null where it is another one, or none.
FakeCuda *findFakeCuda();

} // namespace attnc
