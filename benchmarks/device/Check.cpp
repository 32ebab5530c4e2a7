// Comparison of every packed call with the stored results of the oracle.
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/PackedModel.h"
#include "benchmarks/device/Results.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace attnc::device {

namespace {

using Json = nlohmann::json;

struct CloseFile {
  void operator()(attn_safetensors *file) const { attn_safetensors_close(file); }
};
using File = std::unique_ptr<attn_safetensors, CloseFile>;

File openFile(const std::string &path) {
  attn_safetensors *file = nullptr;
  attn_status status = {};
  require(attn_safetensors_open(path.c_str(), &file, &status), status, path);
  return File(file);
}

const attn_file_tensor &find(const File &file, const std::string &name) {
  const attn_file_tensor *found = attn_safetensors_find(file.get(), name.c_str());
  if (!found)
    throw std::runtime_error("there is no stored tensor " + name);
  return *found;
}

void read(const File &file, const attn_file_tensor &stored, char *to) {
  attn_status status = {};
  require(attn_safetensors_read(file.get(), &stored, 0, stored.bytes, to, &status), status, stored.name);
}

double at(const attn_file_tensor &stored, const char *data, int64_t index) {
  float real;
  int32_t whole;
  if (stored.dtype == ATTN_FILE_F32)
    return std::memcpy(&real, data + 4 * index, 4), real;
  if (stored.dtype == ATTN_FILE_I32)
    return std::memcpy(&whole, data + 4 * index, 4), whole;
  return data[index];
}

/// Returns |found - exact|; for numbers that are not finite, 0 if they are equal or both NaN, else infinity.
double difference(double found, double exact) {
  if (!std::isfinite(exact))
    return (std::isnan(exact) && std::isnan(found)) || found == exact ? 0 : HUGE_VAL;
  return std::isfinite(found) ? std::fabs(found - exact) : HUGE_VAL;
}

double largestDifference(const TensorMemory &found, const File &file, const attn_file_tensor &exact) {
  if (!std::equal(exact.shape, exact.shape + exact.rank, found.tensor.shape, found.tensor.shape + found.tensor.rank))
    return HUGE_VAL;
  std::vector<char> bytes(exact.bytes);
  read(file, exact, bytes.data());
  double largest = 0;
  for (int64_t place = 0; place < found.count(); ++place)
    largest = std::max(largest, difference(found.at(place), at(exact, bytes.data(), place)));
  return largest;
}

class Checker {
public:
  Checker(const std::string &folder, const std::string &results) : folder(folder + "/"), results(results) {}

  /// Returns the number of results that exceed their limits; a failed call counts as one.
  int64_t check(const Json &call) {
    std::string name = call.at("name");
    try {
      return compare(call);
    } catch (const std::exception &error) {
      model.reset(); // after an error, the device context is unusable
      fmt::print("FAILED {}: {}\n", name, error.what());
      append(
          results,
          {{"what", "check"}, {"name", name}, {"kinds", call.at("kinds")}, {"agrees", false}, {"why", error.what()}});
      return 1;
    }
  }

private:
  void open(const Json &call) {
    std::string library = call.at("library");
    if (model && library == opened)
      return;
    model.reset();
    model.emplace(folder + library, call.at("symbol"));
    opened = library;
  }

  /// Returns the tensors of a call: inputs drawn from the same seed as when packed, states zero, results NaN.
  static std::vector<TensorMemory> memoryOf(const attn_entry_info &entry, const Json &call) {
    std::vector<TensorMemory> memory;
    std::vector<int64_t> dimensions = call.at("dimensions");
    for (int32_t number = 0; number < entry.input_count + entry.result_count; ++number) {
      const attn_tensor_info &info = entry.tensors[number];
      memory.emplace_back(info, dimensions);
      if (number < entry.input_count - entry.state_count)
        memory.back().draw(
            {attn_dtype(info.dtype), call.at("bounds").at(size_t(number)), packedSeed, uint64_t(number)});
      else if (number < entry.input_count)
        std::fill(memory.back().bytes.begin(), memory.back().bytes.end(), 0);
    }
    return memory;
  }

  int64_t compare(const Json &call) {
    open(call);
    int64_t number = model->entry(call.at("entry"));
    const attn_entry_info &entry = model->table().entries[number];
    File file = openFile(folder + call.at("file").get<std::string>());
    std::vector<TensorMemory> memory = memoryOf(entry, call);
    std::vector<attn_tensor> tensors;
    for (TensorMemory &each : memory)
      tensors.push_back(each.tensor);
    attn_status status = {};
    require(attn_cuda_run(model->device(), number, tensors.data(), int64_t(tensors.size()), &status), status, "call");
    int64_t beyond = 0;
    for (int32_t place = entry.input_count - entry.state_count; place < entry.input_count + entry.result_count; ++place)
      beyond += !agrees(call, memory[place], entry.tensors[place].name, file);
    return beyond;
  }

  bool agrees(const Json &call, const TensorMemory &found, const std::string &result, const File &file) {
    double limit = call.at("limits").at(result), error = largestDifference(found, file, find(file, result));
    bool good = error <= limit;
    fmt::print("{} {} {}: error {:.3g}, allowed {:.3g} ({})\n", good ? "ok    " : "FAILED",
               call.at("name").get<std::string>(), result, error, limit, call.at("kinds").get<std::string>());
    append(results, {{"what", "check"},
                     {"name", call.at("name")},
                     {"kinds", call.at("kinds")},
                     {"result", result},
                     {"error", std::isfinite(error) ? Json(error) : Json("infinite")},
                     {"limit", limit},
                     {"image", attn_cuda_image(model->device())},
                     {"agrees", good}});
    return good;
  }

  std::string folder, results, opened;
  std::optional<PackedModel> model;
};

} // namespace

int check(const std::string &folder, const std::string &results, const std::string &only) {
  Checker checker(folder, results);
  int64_t calls = 0, beyond = 0;
  for (const Json &call : readJson(folder + "/checks.json"))
    if (only.empty() || call.at("library") == only) {
      beyond += checker.check(call);
      ++calls;
    }
  fmt::print("{} calls, {} failures\n", calls, beyond);
  return beyond == 0 ? 0 : 1;
}

} // namespace attnc::device
