//===- FakeCuda.h - fake of the NVIDIA driver ---------------------------------------------------------------------===//
//
// tests/support/FakeCuda.cpp is a libcuda.so.1 whose devices use host memory. The fake executes operations as late as a
// device may: operations of a stream run, and read page-locked host memory, when the host waits for the stream. A test
// sets the devices, the failures and the kernels, and reads counts of calls and of objects that were not freed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attnc {

/// The settings of a test, and the counts that it reads. "By name" below is by the name of a driver function, as in the
/// library.
struct FakeCuda {
  /// Number of devices; their compute capability, 80 for 8.0; the largest shared memory of a block.
  int devices = 1, capability = 80, blockBytes = 166912;
  int ptxVersion = 88;                 ///< the newest PTX version that the driver supports: 88 for 8.8
  int ownBlockBytes = 0;               ///< static shared memory of every function
  std::map<std::string, int> failures; ///< error codes that driver functions return instead of a result, by name
  int failing = 0;                     ///< number of the call, from 1, that returns CUDA_ERROR_UNKNOWN; 0: none
  /// Called to run a kernel; `parameters` have 8 bytes each, and `blockBytes` is dynamic shared memory. The next wait
  /// for the stream returns the result, 0 or an error code.
  std::function<int(const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                    std::vector<uint64_t> parameters)>
      run;

  std::map<std::string, int> calls;     ///< number of calls, by name
  int numCalls = 0;                     ///< number of calls of all functions
  std::map<std::string, int64_t> bytes; ///< copied bytes, by name; for "memory", allocated bytes
  std::string lastFailed;               ///< name of the function that `failing` selected
  std::map<std::string, int> alive;     ///< objects not freed yet: "memory", "host memory", "stream", "graph", ...
};

/// Loads the libcuda.so.1 that this process finds and returns its settings, which the library owns; null if the library
/// is missing or is not the fake.
FakeCuda *findFakeCuda();

} // namespace attnc
