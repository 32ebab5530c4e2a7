// A fake driver for other programs: FakeCuda whose kernels run in DeviceExecutor. ATTNC_DEVICE_CODE of the environment
// lists files of LLVM IR with the kernels, separated by `:`.
#include "tests/support/DeviceExecutor.h"
#include "tests/support/FakeCuda.h"
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

extern "C" attnc::FakeCuda *attncFakeCuda();

namespace {

struct DeviceCode {
  explicit DeviceCode(const std::string &path) {
    std::ifstream file(path);
    text.assign(std::istreambuf_iterator<char>(file), {});
    executor = std::make_unique<attnc::DeviceExecutor>(text);
  }
  bool has(const std::string &kernel) const {
    return text.find("@" + kernel + "(") != std::string::npos || text.find("@\"" + kernel + "\"(") != std::string::npos;
  }

  std::string text;
  std::unique_ptr<attnc::DeviceExecutor> executor;
};

constexpr int launchFailed = 719; // CUDA_ERROR_LAUNCH_FAILED

/// Reads the code at the first kernel, because the tables of the executor may be initialised after the statics of this
/// library.
const std::vector<DeviceCode> &deviceCode() {
  static const std::vector<DeviceCode> all = [] {
    std::vector<DeviceCode> read;
    const char *paths = std::getenv("ATTNC_DEVICE_CODE");
    std::stringstream list(paths ? paths : "");
    for (std::string path; std::getline(list, path, ':');)
      read.emplace_back(path);
    return read;
  }();
  return all;
}

int runKernel(const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
              std::vector<uint64_t> parameters) {
  for (const DeviceCode &code : deviceCode())
    if (code.has(kernel) && *code.executor)
      return code.executor->run({kernel, blocks, threads, std::move(parameters), blockBytes}, attnc::Order::Shuffled)
                     .empty()
                 ? 0
                 : launchFailed;
  return launchFailed;
}

[[maybe_unused]] const bool isConnected = (attncFakeCuda()->run = runKernel, true);

} // namespace
