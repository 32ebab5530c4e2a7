// Resident memory of a process that runs a model, compared with the bytes of weights that its kernels read.
//
//   memory-benchmark write MODEL.so SYMBOL FILE f32|bf16     random weights for the model's table SYMBOL
//   memory-benchmark load MODEL.so SYMBOL FILE ENTRY SIZE... loads them, calls ENTRY with zeros at these sizes of its
//                                                            dimensions, and prints the resident memory; a file of
//                                                            `attnc pack` is mapped
#include "benchmarks/support/Model.h"
#include <attn/attn.h>
#include <attn/packed.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <vector>

using namespace attnc::bench;

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "memory-benchmark: %s\n", message.c_str());
  std::exit(1);
}

const attn_model &modelOf(const char *library, const char *symbol) {
  void *opened = dlopen(library, RTLD_NOW);
  void *table = opened ? dlsym(opened, symbol) : nullptr;
  if (!table)
    fail(dlerror());
  return *static_cast<const attn_model *>(table);
}

int64_t product(const int64_t *sizes, int32_t rank) {
  int64_t result = 1;
  for (int32_t i = 0; i < rank; ++i)
    result *= sizes[i];
  return result;
}

/// Memory of this process in bytes: "VmRSS:" is the resident set, "VmHWM:" its peak; in smaps_rollup, "Pss:" counts a
/// page that n processes share as 1 / n.
int64_t resident(const char *which, const char *path = "/proc/self/status") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.rfind(which, 0) == 0)
      return 1024 * std::stoll(line.substr(std::strlen(which)));
  return 0;
}

double megabytes(int64_t bytes) { return 1e-6 * double(bytes); }

/// Writes a weights file in which a few numbers repeat, as the values do not matter.
void write(const attn_model &model, const char *path, bool isNarrow) {
  std::string header = "{";
  int64_t offset = 0, size = isNarrow ? 2 : 4, most = 0;
  for (int64_t p = 0; p < model.parameter_count; ++p) {
    const attn_parameter_info &parameter = model.parameters[p];
    int64_t bytes = size * product(parameter.shape, parameter.rank);
    most = std::max(most, bytes);
    for (int64_t entry = 0; entry < product(parameter.counts, parameter.list_rank); ++entry, offset += bytes) {
      std::string name(attn_parameter_name(&parameter, entry, nullptr, 0), '\0'), shape;
      attn_parameter_name(&parameter, entry, name.data(), name.size() + 1);
      for (int32_t d = 0; d < parameter.rank; ++d)
        shape += (d ? "," : "") + std::to_string(parameter.shape[d]);
      header += (header.size() > 1 ? ",\"" : "\"") + name + R"(":{"dtype":")" + (isNarrow ? "BF16" : "F32") +
                R"(","shape":[)" + shape + R"(],"data_offsets":[)" + std::to_string(offset) + "," +
                std::to_string(offset + bytes) + "]}";
    }
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string values(most, '\0');
  for (int64_t i = 0; i < most / size; ++i) {
    float value = float(0.02 * attn_random_normal(1, 0, uint64_t(i % 4096)));
    std::memcpy(&values[i * size], reinterpret_cast<char *>(&value) + (4 - size), size);
  }
  uint64_t length = header.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<char *>(&length), 8) << header;
  for (int64_t p = 0; p < model.parameter_count; ++p)
    for (int64_t entry = 0; entry < product(model.parameters[p].counts, model.parameters[p].list_rank); ++entry)
      out.write(values.data(), size * product(model.parameters[p].shape, model.parameters[p].rank));
  if (!out.flush())
    fail(std::string(path) + " can't be written");
}

void load(const attn_model &model, const char *path, const char *entry, const std::vector<int64_t> &dimensions) {
  attn_status status;
  Workers workers;
  attn_weights *weights = nullptr;
  must(attn_is_packed_file(path) ? attn_weights_map(&model, path, &weights, &status)
                                 : attn_weights_load(&model, path, 0, workers.executor(), &weights, &status),
       status);
  int64_t loaded = resident("VmRSS:"), most = resident("VmHWM:"), read = bytesOfWeights(model);
  Call call(model, weights, workers.executor(), entry, dimensions);
  call.run();
  int64_t now = resident("VmRSS:");
  std::printf("kernels read %.0f MB of weights; resident %.0f MB when they are loaded (%.2f x), %.0f at most meanwhile "
              "(%.2f x); %.0f MB behind a call (%.2f x), of which the arena is %.0f; its share of them (Pss) is %.0f\n",
              megabytes(read), megabytes(loaded), double(loaded) / double(read), megabytes(most),
              double(most) / double(read), megabytes(now), double(now) / double(read), megabytes(call.arenaBytes()),
              megabytes(resident("Pss:", "/proc/self/smaps_rollup")));
}

} // namespace

int main(int count, char **arguments) {
  std::string command = count > 1 ? arguments[1] : "";
  if (command == "write" && count == 6) {
    write(modelOf(arguments[2], arguments[3]), arguments[4], std::string(arguments[5]) == "bf16");
  } else if (command == "load" && count >= 6) {
    std::vector<int64_t> dimensions;
    for (int i = 6; i < count; ++i)
      dimensions.push_back(std::stoll(arguments[i]));
    load(modelOf(arguments[2], arguments[3]), arguments[4], arguments[5], dimensions);
  } else {
    fail("expected write MODEL.so SYMBOL FILE f32|bf16, or load MODEL.so SYMBOL FILE ENTRY SIZE...");
  }
}
