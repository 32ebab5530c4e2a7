#include "tools/machine/MeasureMachine.h"
#include "tools/machine/MeasureLevels.h"
#include "tools/machine/Peak.h"
#include "tools/machine/Rate.h"
#include "tools/machine/WideSleep.h"
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

// Twelve independent chains of an instruction for each vector width; inline assembly prevents their optimisation.
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
ATTNC_BOTH(squareRoot, "vsqrtps %1, %0", "vsqrtps %1, %0")
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

/// Updates rows of three floats in place by masked vector loads and stores.
__attribute__((target("avx512f"))) void changeInPlace512(float *data) {
  __m512 one = _mm512_set1_ps(1.0f);
  for (long row = 0; row < rounds / 8; ++row) {
    float *at = data + 3 * (row & 63);
    _mm512_mask_storeu_ps(at, 7, _mm512_add_ps(_mm512_maskz_loadu_ps(7, at), one));
    asm volatile("" : : : "memory");
  }
}

__attribute__((target("avx2"))) void changeInPlace256(float *data) {
  __m256 one = _mm256_set1_ps(1.0f);
  __m256i first = _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0);
  for (long row = 0; row < rounds / 8; ++row) {
    float *at = data + 3 * (row & 63);
    _mm256_maskstore_ps(at, first, _mm256_add_ps(_mm256_maskload_ps(at, first), one));
    asm volatile("" : : : "memory");
  }
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

/// Seconds of a launch with `chunks` empty chunks, measured like a profile of launches.
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
  // 256-bit instructions may use more execution ports than 512-bit ones.
  result.narrow = wide ? std::max(result.arithmetic, rateOf(chains, multiplyAndAdd256)) : result.arithmetic;
  result.divide = rateOf(chains, wide ? divide512 : divide256);
  result.root = rateOf(chains, wide ? squareRoot512 : squareRoot256);
  result.shuffle = rateOf(chains, wide ? shuffle512 : shuffle256);
  alignas(64) static float data[512];
  double elements = double(rounds / 4) * double(result.lanes);
  result.gather = rateOf(elements, [&] { (wide ? gather512 : gather256)(data); });
  result.forward = 1 / rateOf(double(rounds / 8), [&] { (wide ? changeInPlace512 : changeInPlace256)(data); });
  result.scalar = rateOf(8 * double(rounds), addIntegers);
  result.scalarDivide = rateOf(double(rounds / 8), divideIntegers);
  result.issue = rateOf(16 * double(rounds), beginNothing);
  result.latency = 1 / rateOf(double(rounds), multiplyInTurn);
  result.sumLatency = 1 / rateOf(double(rounds), addInTurn);
  result.broadcast = rateOf(chains, [&] { (wide ? broadcast512 : broadcast256)(data); });
  result.levels = measureLevels(executor, result.keeps);
  double vectorBytes = 4 * double(result.lanes);
  result.load = result.levels[0].read / vectorBytes;
  result.store = result.levels[0].write / vectorBytes;
  WideSleep sleep = wideSleep();
  result.sleep = sleep.after;
  result.wake = sleep.lost;
  result.drowsy = sleep.times;
  result.launch = launchSeconds(executor, 1);
  constexpr int64_t many = 1001;
  result.chunk = std::max(1e-10, (launchSeconds(executor, many) - result.launch) / double(many - 1));
  return result;
}

} // namespace attnc::machine
