#include "tools/machine/MeasureLevels.h"
#include "tools/machine/ColdCode.h"
#include "tools/machine/Peak.h"
#include "tools/machine/Rate.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <memory>
#include <string>
#include <sys/mman.h>

namespace attnc::machine {

namespace {

__attribute__((target("avx512f"))) void load512(char *data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 512)
#pragma GCC unroll 8
    for (size_t line = 0; line < 512; line += 64)
      asm volatile("vmovaps %0, %%zmm0" : : "m"(*reinterpret_cast<__m512 *>(data + at + line)) : "xmm0");
}

__attribute__((target("avx2"))) void load256(char *data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 512)
#pragma GCC unroll 16
    for (size_t line = 0; line < 512; line += 32)
      asm volatile("vmovaps %0, %%ymm0" : : "m"(*reinterpret_cast<__m256 *>(data + at + line)) : "xmm0");
}

__attribute__((target("avx512f"))) void store512(char *data, size_t bytes) {
  __m512 value = _mm512_set1_ps(1.0f);
  for (size_t at = 0; at < bytes; at += 512)
#pragma GCC unroll 8
    for (size_t line = 0; line < 512; line += 64)
      asm volatile("vmovaps %1, %0" : "=m"(*reinterpret_cast<__m512 *>(data + at + line)) : "v"(value));
}

__attribute__((target("avx2"))) void store256(char *data, size_t bytes) {
  __m256 value = _mm256_set1_ps(1.0f);
  for (size_t at = 0; at < bytes; at += 512)
#pragma GCC unroll 16
    for (size_t line = 0; line < 512; line += 32)
      asm volatile("vmovaps %1, %0" : "=m"(*reinterpret_cast<__m256 *>(data + at + line)) : "x"(value));
}

/// The size of the data cache of a level on the first core, from sysfs; `otherwise` if it is not available.
int64_t cacheBytes(int level, int64_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    auto read = [&](const char *what, auto *value, const char *format) {
      std::string path = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + what;
      std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "r"), std::fclose);
      return file && std::fscanf(file.get(), format, value) == 1;
    };
    int found = 0;
    long kilobytes = 0;
    char type[16] = {};
    if (read("level", &found, "%d") && found == level && read("type", type, "%15s") && type[0] != 'I' &&
        read("size", &kilobytes, "%ldK"))
      return int64_t(kilobytes) << 10;
  }
  return otherwise;
}

/// Memory with huge pages if available, like the runtime's memory for kernels.
class Buffer {
public:
  explicit Buffer(size_t bytes) : memory(static_cast<char *>(std::aligned_alloc(pageBytes, bytes)), std::free) {
    madvise(memory.get(), bytes, MADV_HUGEPAGE);
  }
  /// The start of the buffer, of which at least `bytes` bytes have been touched.
  char *first(size_t bytes) {
    if (bytes > touched)
      std::memset(memory.get() + touched, 0, bytes - touched);
    touched = std::max(touched, bytes);
    return memory.get();
  }

private:
  static constexpr size_t pageBytes = size_t(2) << 20;
  std::unique_ptr<char, void (*)(void *)> memory;
  size_t touched = 0;
};

/// Bytes per second of repeated passes over a buffer that fits the level.
template <class Pass> double bandwidth(size_t bytes, Pass pass) {
  size_t passes = std::max<size_t>(1, (size_t(32) << 20) / bytes);
  return rateOf(double(passes * bytes), [&] {
    for (size_t each = 0; each < passes; ++each)
      pass(bytes);
  });
}

/// Load latency by pointer chasing: cache lines are linked in an order that hardware prefetchers can't predict.
double lineLatency(char *data, size_t bytes) {
  size_t count = size_t(1) << (63 - __builtin_clzl(bytes / lineBytes));
  for (size_t line = 0; line < count; ++line) {
    // The generator's constants give the full period, so every line is visited (Hull and Dobell 1962).
    char *next = data + ((line * 1664525 + 1013904223) & (count - 1)) * lineBytes;
    *reinterpret_cast<char **>(data + line * lineBytes) = next;
  }
  char *at = data;
  constexpr int steps = 1 << 16;
  auto chase = [&] {
    for (int step = 0; step < steps; ++step)
      at = *reinterpret_cast<char **>(at);
    asm volatile("" : "+r"(at));
  };
  return 1 / rateOf(steps, chase);
}

class LevelMeasurement {
public:
  explicit LevelMeasurement(const attn_executor *executor)
      : executor(executor), wide(__builtin_cpu_supports("avx512f")), buffer(most) {}

  /// Measures a level with a buffer of `bytes` bytes, which fits this level but no smaller one.
  MemoryLevel measure(const std::string &name, size_t bytes) {
    MemoryLevel level;
    level.name = name;
    char *data = buffer.first(bytes);
    level.latency = lineLatency(data, bytes);
    level.read = readRate(bytes);
    level.write = bandwidth(bytes, [&](size_t all) { (wide ? store512 : store256)(data, all); });
    level.readByAll = level.read * double(executor->workers);
    constexpr size_t shared = size_t(8) << 20; // enough for all workers
    if (bytes >= shared)
      for (int slice = 0; slice < 3; ++slice) {
        double all = readBandwidthOf(executor, data, bytes);
        level.readByAll = slice == 0 ? all : std::max(level.readByAll, all);
      }
    ColdCode code = coldCode(std::min(bytes, mostCode));
    level.call = std::max(level.latency, code.call);
    level.codeLine = std::max(1e-12, code.call > 0 ? code.line : level.latency / 4);
    return level;
  }

  /// Usable size of a shared cache: the largest buffer with at least three quarters of the bandwidth of the first one.
  size_t foundBytes(size_t from, size_t nominal) {
    double first = readRate(from);
    size_t found = from;
    while (2 * found <= std::min(nominal, most / 2) && readRate(2 * found) > 0.75 * first)
      found *= 2;
    return found;
  }

  /// Idle seconds after which data is read more slowly than the geometric mean of cache and memory bandwidth.
  double keeps(size_t nearBytes, const MemoryLevel &cache, const MemoryLevel &memory) {
    constexpr size_t piece = size_t(1) << 20;
    constexpr double longest = 0.032, forEver = 1e3;
    constexpr int slices = 7; // early slices are discarded: caches retain lines that were accessed repeatedly
    double slow = std::sqrt(cache.read * memory.read);
    char *data = buffer.first(piece + 3 * nearBytes);
    for (double idle = 0.25e-3; idle <= longest; idle *= 2) {
      std::vector<double> rates;
      for (int slice = 0; slice < slices; ++slice) {
        (wide ? load512 : load256)(data, piece);
        (wide ? load512 : load256)(data + piece, 3 * nearBytes / 512 * 512); // evicts the data from smaller caches
        for (double from = threadSeconds(); threadSeconds() - from < idle;)
          ;
        double from = threadSeconds();
        (wide ? load512 : load256)(data, piece);
        rates.push_back(double(piece) / (threadSeconds() - from));
      }
      rates.erase(rates.begin(), rates.begin() + slices / 2);
      std::nth_element(rates.begin(), rates.begin() + slices / 4, rates.end());
      if (rates[slices / 4] < slow)
        return idle / std::sqrt(2.0);
    }
    return forEver;
  }

  static constexpr size_t most = size_t(256) << 20;

private:
  static constexpr size_t mostCode = size_t(128) << 20;

  double readRate(size_t bytes) {
    char *data = buffer.first(bytes);
    return bandwidth(bytes, [&](size_t all) { (wide ? load512 : load256)(data, all); });
  }

  const attn_executor *executor;
  bool wide;
  Buffer buffer;
};

} // namespace

std::vector<MemoryLevel> measureLevels(const attn_executor *executor, double &keeps) {
  LevelMeasurement measurement(executor);
  int64_t l1 = cacheBytes(1, 32 << 10), l2 = cacheBytes(2, 1 << 20), l3 = cacheBytes(3, 16 << 20);
  auto inHalf = [](int64_t bytes) { return size_t(bytes) / 2 / 512 * 512; };
  std::vector<MemoryLevel> levels = {measurement.measure("L1", inHalf(l1)), measurement.measure("L2", inHalf(l2))};
  size_t found = measurement.foundBytes(std::min(2 * size_t(l2), inHalf(l3)), size_t(l3));
  levels.push_back(measurement.measure("L3", std::max(found / 2, std::min(2 * size_t(l2), inHalf(l3)))));
  levels.push_back(measurement.measure("memory", LevelMeasurement::most));
  keeps = measurement.keeps(size_t(l2), levels[2], levels[3]);
  levels[0].bytes = l1;
  levels[1].bytes = l2;
  levels[2].bytes = int64_t(found);
  levels[3].bytes = INT64_MAX;
  return levels;
}

} // namespace attnc::machine
