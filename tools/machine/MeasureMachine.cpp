#include "tools/machine/MeasureMachine.h"
#include "tools/machine/Peak.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <immintrin.h>
#include <memory>
#include <string>
#include <vector>

namespace attnc::machine {

namespace {

constexpr long rounds = 200000;
constexpr size_t lineBytes = 64;

/// Events a second: the best of several slices of `events` each.
template <class Run> double rateOf(double events, Run run) {
  double best = 0;
  for (int slice = 0; slice < 5; ++slice) {
    double start = threadSeconds();
    run();
    best = std::max(best, events / std::max(1e-9, threadSeconds() - start));
  }
  return best;
}

// Twelve independent chains of an instruction, for each width. Inline assembly keeps the optimiser from changing them.
#define ATTNC_CHAINS(NAME, TARGET, TYPE, SET, CONSTRAINT, INSTRUCTION, OTHER)                                          \
  __attribute__((target(TARGET))) void NAME() {                                                                        \
    TYPE one = SET(1.0f), values[12];                                                                                  \
    for (TYPE & value : values)                                                                                        \
      value = one;                                                                                                     \
    for (long round = 0; round < rounds; ++round) {                                                                    \
      _Pragma("GCC unroll 6") for (int i = 0; i < 12; i += 2) {                                                        \
        asm volatile(INSTRUCTION : "+" CONSTRAINT(values[i]) : CONSTRAINT(one));                                       \
        asm volatile(OTHER : "+" CONSTRAINT(values[i + 1]) : CONSTRAINT(one));                                         \
      }                                                                                                                \
    }                                                                                                                  \
  }

#define ATTNC_BOTH(NAME, INSTRUCTION, OTHER)                                                                           \
  ATTNC_CHAINS(NAME##512, "avx512f", __m512, _mm512_set1_ps, "v", INSTRUCTION, OTHER)                                  \
  ATTNC_CHAINS(NAME##256, "avx2,fma", __m256, _mm256_set1_ps, "x", INSTRUCTION, OTHER)

ATTNC_BOTH(multiplyAndAdd, "vfmadd213ps %1, %1, %0", "vaddps %1, %0, %0")
ATTNC_BOTH(divide, "vdivps %1, %0, %0", "vdivps %1, %0, %0")
ATTNC_BOTH(shuffle, "vshufps $27, %1, %0, %0", "vunpcklps %1, %0, %0")

#undef ATTNC_BOTH
#undef ATTNC_CHAINS

__attribute__((target("avx512f"))) void gather512(const float *data) {
  __m512i places = _mm512_setr_epi32(0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255);
  __m512 sum = _mm512_setzero_ps();
  for (long round = 0; round < rounds / 4; ++round) {
    sum = _mm512_add_ps(sum, _mm512_i32gather_ps(places, data + (round & 63), 4));
    asm volatile("" : "+v"(sum));
  }
}

__attribute__((target("avx2"))) void gather256(const float *data) {
  __m256i places = _mm256_setr_epi32(0, 17, 34, 51, 68, 85, 102, 119);
  __m256 sum = _mm256_setzero_ps();
  for (long round = 0; round < rounds / 4; ++round) {
    sum = _mm256_add_ps(sum, _mm256_i32gather_ps(data + (round & 63), places, 4));
    asm volatile("" : "+x"(sum));
  }
}

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

void addIntegers() {
  long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (long round = 0; round < rounds; ++round)
    asm volatile("add $1, %0\nadd $1, %1\nadd $1, %2\nadd $1, %3\nadd $1, %4\nadd $1, %5\nadd $1, %6\nadd $1, %7"
                 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
}

void divideIntegers() {
  for (long round = 0; round < rounds / 8; ++round) {
    unsigned long low = 123456789, high = 0;
    asm volatile("div %2" : "+a"(low), "+d"(high) : "r"(977ul) : "cc");
  }
}

__attribute__((target("avx2,fma"))) void multiplyInTurn() {
  __m256 value = _mm256_set1_ps(1.0f), one = value;
  for (long round = 0; round < rounds; ++round)
    asm volatile("vfmadd213ps %1, %1, %0" : "+x"(value) : "x"(one));
}

__attribute__((target("avx2"))) void addInTurn() {
  __m256 value = _mm256_set1_ps(1.0f), one = value;
  for (long round = 0; round < rounds; ++round)
    asm volatile("vaddps %1, %0, %0" : "+x"(value) : "x"(one));
}

void beginNothing() {
  for (long round = 0; round < rounds; ++round)
    asm volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
}

__attribute__((target("avx512f"))) void broadcast512(const float *data) {
  for (long round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i)
      asm volatile("vbroadcastss %0, %%zmm0" : : "m"(data[i]) : "xmm0");
}

__attribute__((target("avx2"))) void broadcast256(const float *data) {
  for (long round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i)
      asm volatile("vbroadcastss %0, %%ymm0" : : "m"(data[i]) : "xmm0");
}

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of a launch of so many empty chunks, as a profile of launches sees it.
double launchSeconds(const attn_executor *executor, int64_t chunks) {
  attn_kernel_args args = {};
  auto nothing = [](const attn_kernel_args *, int64_t, void *) { asm volatile(""); };
  constexpr int launches = 1000;
  std::vector<double> seconds;
  for (int launch = 0; launch < launches; ++launch) {
    double start = wallSeconds();
    executor->parallel_for(executor->self, nothing, &args, chunks, nullptr, 0);
    seconds.push_back(wallSeconds() - start);
  }
  std::nth_element(seconds.begin(), seconds.begin() + launches / 2, seconds.end());
  return seconds[launches / 2];
}

std::string processorName() {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen("/proc/cpuinfo", "r"), std::fclose);
  char line[256];
  while (file && std::fgets(line, sizeof line, file.get()))
    if (const char *colon = std::strchr(line, ':'); colon && std::strncmp(line, "model name", 10) == 0)
      return std::string(colon + 2, std::strcspn(colon + 2, "\n"));
  return "unknown";
}

/// The size of the data cache of a level, as the kernel tells it of the first core.
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

/// Bytes a second over a buffer that lies in the level, run over again and again.
template <class Pass> double bandwidth(size_t bytes, Pass pass) {
  size_t passes = std::max<size_t>(1, (size_t(64) << 20) / bytes);
  return rateOf(double(passes * bytes), [&] {
    for (size_t each = 0; each < passes; ++each)
      pass(bytes);
  });
}

void measureLevels(Machine &result, const attn_executor *executor) {
  result.levels = {{"L1", cacheBytes(1, 32 << 10)},
                   {"L2", cacheBytes(2, 1 << 20)},
                   {"L3", cacheBytes(3, 16 << 20)},
                   {"memory", INT64_MAX}};
  size_t most = std::max<size_t>(size_t(256) << 20, 4 * size_t(result.levels[2].bytes));
  std::unique_ptr<char, void (*)(void *)> buffer(static_cast<char *>(std::aligned_alloc(4096, most)), std::free);
  std::memset(buffer.get(), 0, most);
  bool wide = result.lanes == 16;
  for (MemoryLevel &level : result.levels) {
    size_t bytes = level.bytes == INT64_MAX ? most : size_t(level.bytes) / 2 / 512 * 512;
    level.read = bandwidth(bytes, [&](size_t all) { (wide ? load512 : load256)(buffer.get(), all); });
    level.write = bandwidth(bytes, [&](size_t all) { (wide ? store512 : store256)(buffer.get(), all); });
    level.readByAll = level.read * double(executor->workers);
    if (level.name == "L3" || level.name == "memory")
      for (int slice = 0; slice < 3; ++slice) {
        double all = readBandwidthOf(executor, buffer.get(), bytes);
        level.readByAll = slice == 0 ? all : std::max(level.readByAll, all);
      }
  }
}

} // namespace

Machine measure(const attn_executor *executor) {
  Machine result;
  result.name = processorName();
  result.origin = "measured now";
  bool wide = __builtin_cpu_supports("avx512f");
  result.lanes = wide ? 16 : 8;
  result.cores = executor->workers;
  double peak = 0;
  for (int slice = 0; slice < 10; ++slice)
    peak = std::max(peak, fmaPeak());
  result.fma = peak / (2 * double(result.lanes));
  constexpr double chains = 12 * double(rounds);
  result.arithmetic = std::max(result.fma, rateOf(chains, wide ? multiplyAndAdd512 : multiplyAndAdd256));
  result.divide = rateOf(chains, wide ? divide512 : divide256);
  result.shuffle = rateOf(chains, wide ? shuffle512 : shuffle256);
  alignas(lineBytes) static float data[512];
  double elements = double(rounds / 4) * double(result.lanes);
  result.gather = rateOf(elements, [&] { (wide ? gather512 : gather256)(data); });
  result.scalar = rateOf(8 * double(rounds), addIntegers);
  result.scalarDivide = rateOf(double(rounds / 8), divideIntegers);
  result.issue = rateOf(16 * double(rounds), beginNothing);
  result.latency = 1 / rateOf(double(rounds), multiplyInTurn);
  result.sumLatency = 1 / rateOf(double(rounds), addInTurn);
  result.broadcast = rateOf(chains, [&] { (wide ? broadcast512 : broadcast256)(data); });
  measureLevels(result, executor);
  double vectorBytes = 4 * double(result.lanes);
  result.load = result.levels[0].read / vectorBytes;
  result.store = result.levels[0].write / vectorBytes;
  result.launch = launchSeconds(executor, 1);
  constexpr int64_t many = 1001;
  result.chunk = std::max(1e-10, (launchSeconds(executor, many) - result.launch) / double(many - 1));
  return result;
}

} // namespace attnc::machine
