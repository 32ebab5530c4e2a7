// Times of the packed cases and of copies on the device.
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/PackedModel.h"
#include "benchmarks/device/Results.h"
#include "tools/machine/Median.h"
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <stdexcept>

extern "C" {
#include "runtime/cuda/driver.h"
}

namespace attnc::device {

namespace {

using Json = nlohmann::json;

// Repetition rule, equal to peers.py.
constexpr int leastWarmRuns = 3, leastRuns = 5; ///< the runtime captures repeated launches as a graph
constexpr double warmSeconds = 0.5, timedSeconds = 1;

double secondsOf(const std::function<void()> &run) {
  auto from = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

/// Seconds of each run, repeated until there are at least `least` runs of together at least `enough` seconds.
std::vector<double> secondsOfRuns(const std::function<void()> &run, size_t least, double enough) {
  std::vector<double> seconds;
  for (double sum = 0; seconds.size() < least || sum < enough; sum += seconds.back())
    seconds.push_back(secondsOf(run));
  return seconds;
}

/// Median time of a run by the host's clock; each run ends with the end of the device's work.
double medianSeconds(const std::function<void()> &run) {
  secondsOfRuns(run, leastWarmRuns, warmSeconds);
  return median(secondsOfRuns(run, leastRuns, timedSeconds));
}

struct Timed {
  double seconds; ///< of one launch
  std::string image;
};

/// Times a case. Operands are parameters, and results remain on the device.
Timed timeOf(const std::string &folder, const Json &each) {
  PackedModel model(folder + "/" + each.at("library").get<std::string>(), each.at("symbol"));
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
  return {seconds / each.at("launches").get<double>(), attn_cuda_image(model.device())};
}

/// Returns the device number in ATTN_DEVICE, which the runtime and peers.py also read; 0 by default.
int numberOfDevice() {
  const char *text = std::getenv("ATTN_DEVICE");
  return text && *text ? std::stoi(text) : 0;
}

/// Copies between two buffers on a device, by the driver API.
class Copies {
public:
  explicit Copies(int64_t bytes) : Copies() { // so that the destructor runs if this throws
    this->bytes = bytes;
    demand(driver.cuDeviceGet(&device, numberOfDevice()), "the device");
    acquire(context, "its context", [&](cu_context *made) { return driver.cuDevicePrimaryCtxRetain(made, device); });
    demand(driver.cuCtxPushCurrent(context), "its context");
    isCurrent = true;
    acquire(stream, "a stream", [&](cu_stream *made) { return driver.cuStreamCreate(made, CU_STREAM_NON_BLOCKING); });
    for (cu_address &each : memory)
      acquire(each, "memory", [&](cu_address *made) { return driver.cuMemAlloc(made, size_t(bytes)); });
  }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;
  ~Copies() {
    for (cu_address each : memory)
      if (each)
        driver.cuMemFree(each);
    if (stream)
      driver.cuStreamDestroy(stream);
    cu_context popped = nullptr;
    if (isCurrent)
      driver.cuCtxPopCurrent(&popped);
    if (context)
      driver.cuDevicePrimaryCtxRelease(device);
  }

  /// Returns bytes per second, read plus written.
  double rate() {
    double seconds = medianSeconds([&] {
      demand(driver.cuMemcpyDtoDAsync(memory[1], memory[0], size_t(bytes), stream), "a copy");
      demand(driver.cuStreamSynchronize(stream), "a copy");
    });
    return 2 * double(bytes) / seconds;
  }

private:
  Copies() {
    attn_status status = {};
    require(cuda_driver_load(&driver, &status), status, "copies");
  }

  /// Assigns the result of a call to `member` only if the call succeeds, as a failing call may write an invalid handle.
  template <class T, class Call> void acquire(T &member, const char *what, const Call &call) {
    T made = {};
    demand(call(&made), what);
    member = made;
  }

  void demand(cu_result result, const char *what) const {
    if (result != 0)
      throw std::runtime_error(fmt::format("{}: {}", what, cuda_error_name(&driver, result)));
  }

  int64_t bytes = 0;
  bool isCurrent = false;
  cuda_driver driver = {};
  cu_device device = 0;
  cu_context context = nullptr;
  cu_stream stream = nullptr;
  cu_address memory[2] = {};
};

/// Returns the newest CUDA version that the driver supports: "13.1".
std::string versionOfDriver() {
  cuda_driver driver = {};
  attn_status status = {};
  require(cuda_driver_load(&driver, &status), status, "driver");
  int version = 0; // 1000 x major + 10 x minor
  driver.cuDriverGetVersion(&version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace

int describe(const std::string &results) {
  attn_cuda_device device = {};
  attn_status status = {};
  if (attn_cuda_describe(numberOfDevice(), &device, &status) != ATTN_OK) {
    fmt::print(stderr, "device-check: {}\n", status.message);
    return 1;
  }
  fmt::print("{}: sm_{}, {} processors, {:.1f} GB\n", device.name, device.architecture, device.processors,
             1e-9 * double(device.memory_bytes));
  append(results, {{"what", "device"},
                   {"name", device.name},
                   {"architecture", device.architecture},
                   {"processors", device.processors},
                   {"memory_bytes", device.memory_bytes},
                   {"driver", versionOfDriver()}});
  return 0;
}

int list(const std::string &folder) {
  std::set<std::string> libraries;
  for (const Json &call : readJson(folder + "/checks.json"))
    if (libraries.insert(call.at("library")).second)
      fmt::print("check {}\n", call.at("library").get<std::string>());
  fmt::print("measure copies\n");
  Json cases = readJson(folder + "/cases.json");
  for (const Json &each : cases.at("measures"))
    fmt::print("measure {}\n", each.at("name").get<std::string>());
  return 0;
}

int measure(const std::string &folder, const std::string &results, const std::string &only) {
  Json cases = readJson(folder + "/cases.json");
  int failures = 0;
  auto measured = [&](const std::string &name, const std::function<void()> &run) {
    if (!only.empty() && only != name)
      return;
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
      Timed found = timeOf(folder, each);
      fmt::print("{}: {:.3f} ms\n", each.at("title").get<std::string>(), 1e3 * found.seconds);
      append(results, {{"what", "time"},
                       {"case", each.at("name")},
                       {"by", "attnc"},
                       {"seconds", found.seconds},
                       {"image", found.image}});
    });
  return failures == 0 ? 0 : 1;
}

} // namespace attnc::device
