// Half (b): how long the packed cases take, and copies on the device.
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/PackedModel.h"
#include "benchmarks/device/Results.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <stdexcept>

extern "C" {
#include "runtime/src/cuda_driver.h"
}

namespace attnc::device {

namespace {

using Json = nlohmann::json;

constexpr int warmRuns = 3; ///< the runtime makes a graph of launches that come again
constexpr int leastRuns = 5, mostRuns = 50;
constexpr double enoughSeconds = 1;

/// The median of what one run takes; each ends when the device is done.
double medianSeconds(const std::function<void()> &run) {
  std::vector<double> seconds;
  double sum = 0;
  for (int number = -warmRuns; number < mostRuns && (number < leastRuns || sum < enoughSeconds); ++number) {
    auto from = std::chrono::steady_clock::now();
    run();
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    if (number < 0)
      continue;
    seconds.push_back(took);
    sum += took;
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// Of one launch of the case. Its operands are parameters, and its results stay on the device.
double secondsOf(const std::string &folder, const Json &each) {
  PackedModel model(folder + "/" + each.at("library").get<std::string>(), each.at("symbol"), "");
  int64_t number = model.entry(each.at("entry"));
  const attn_entry_info &entry = model.table().entries[number];
  if (entry.dimension_count > 0 || entry.input_count > 0)
    throw std::runtime_error("its entry point has inputs or dimensions");
  std::vector<attn_tensor> tensors;
  attn_status status = {};
  for (int32_t place = 0; place < entry.result_count; ++place) {
    attn_tensor &tensor = tensors.emplace_back();
    tensor.dtype = entry.tensors[place].dtype;
    tensor.rank = entry.tensors[place].rank;
    for (int32_t d = 0; d < tensor.rank; ++d)
      tensor.shape[d] = attn_size(&entry.tensors[place].shape[d], nullptr);
    require(attn_cuda_allocate(model.device(), &tensor, &status), status, "memory of a result");
  }
  double seconds = medianSeconds([&] {
    require(attn_cuda_run(model.device(), number, tensors.data(), int64_t(tensors.size()), &status), status, "call");
  });
  return seconds / each.at("launches").get<double>();
}

/// Copies from one place of a device to another, by the driver alone.
class Copies {
public:
  explicit Copies(int64_t bytes) : bytes(bytes) {
    attn_status status = {};
    require(cuda_driver_load(&driver, &status), status, "copies");
    demand(driver.cuDeviceGet(&device, 0), "device 0");
    demand(driver.cuDevicePrimaryCtxRetain(&context, device), "its context");
    demand(driver.cuCtxPushCurrent(context), "its context");
    demand(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "a stream");
    for (cu_address &each : memory)
      demand(driver.cuMemAlloc(&each, size_t(bytes)), "memory");
  }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;
  ~Copies() {
    for (cu_address each : memory)
      if (each)
        driver.cuMemFree(each);
    driver.cuStreamDestroy(stream);
    driver.cuCtxPopCurrent(&context);
    driver.cuDevicePrimaryCtxRelease(device);
    cuda_driver_unload(&driver);
  }

  /// Bytes a second, read and written.
  double rate() {
    double seconds = medianSeconds([&] {
      demand(driver.cuMemcpyDtoDAsync(memory[1], memory[0], size_t(bytes), stream), "a copy");
      demand(driver.cuStreamSynchronize(stream), "a copy");
    });
    return 2 * double(bytes) / seconds;
  }

private:
  void demand(cu_result result, const char *what) const {
    if (result != 0)
      throw std::runtime_error(fmt::format("{}: {}", what, cuda_error_name(&driver, result)));
  }

  int64_t bytes;
  cuda_driver driver = {};
  cu_device device = 0;
  cu_context context = nullptr;
  cu_stream stream = nullptr;
  cu_address memory[2] = {};
};

} // namespace

int describe(const std::string &results) {
  attn_cuda_device device = {};
  attn_status status = {};
  if (attn_cuda_describe(0, &device, &status) != ATTN_OK) {
    fmt::print(stderr, "device-check: {}\n", status.message);
    return 1;
  }
  fmt::print("{}: sm_{}, {} processors, {:.1f} GB\n", device.name, device.architecture, device.processors,
             1e-9 * double(device.memory_bytes));
  append(results, {{"what", "device"},
                   {"name", device.name},
                   {"architecture", device.architecture},
                   {"processors", device.processors},
                   {"memory_bytes", device.memory_bytes}});
  return 0;
}

int measure(const std::string &folder, const std::string &results) {
  Json cases = readJson(folder + "/cases.json");
  int failures = 0;
  auto measured = [&](const std::string &name, const std::function<void()> &run) {
    try {
      run();
    } catch (const std::exception &error) {
      fmt::print("FAILED {}: {}\n", name, error.what());
      append(results, {{"what", "missing"}, {"name", name}, {"why", error.what()}});
      ++failures;
    }
  };
  measured("copies", [&] {
    double rate = Copies(cases.at("copied_bytes")).rate();
    fmt::print("copies on the device: {:.1f} GB/s, read and written\n", 1e-9 * rate);
    append(results, {{"what", "rate"}, {"name", "copy"}, {"value", rate}});
  });
  for (const Json &each : cases.at("measures"))
    measured(each.at("name"), [&] {
      double seconds = secondsOf(folder, each);
      fmt::print("{}: {:.3f} ms\n", each.at("title").get<std::string>(), 1e3 * seconds);
      append(results, {{"what", "time"}, {"case", each.at("name")}, {"by", "attnc"}, {"seconds", seconds}});
    });
  return failures == 0 ? 0 : 1;
}

} // namespace attnc::device
