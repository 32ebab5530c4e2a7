#include "benchmarks/support/Machine.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <immintrin.h>
#include <sys/mman.h>
#include <vector>

namespace attnc::bench {

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

namespace {

constexpr int accumulators = 12; // more than latency times ports, fewer than registers
constexpr long fmaRounds = 1000000;
volatile float sink;

// Inline assembly keeps the optimiser from folding or reordering the chains.
__attribute__((target("avx512f"))) void runFma512() {
  __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(1e-7f), sums[accumulators];
  for (__m512 &sum : sums)
    sum = factor;
  for (long round = 0; round < fmaRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i)
      asm volatile("vfmadd213ps %2, %1, %0" : "+v"(sums[i]) : "v"(factor), "v"(term));
  }
  sink = _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) void runFma256() {
  __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(1e-7f), sums[accumulators];
  for (__m256 &sum : sums)
    sum = factor;
  for (long round = 0; round < fmaRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i)
      asm volatile("vfmadd213ps %2, %1, %0" : "+x"(sums[i]) : "x"(factor), "x"(term));
  }
  sink = _mm256_cvtss_f32(sums[0]);
}

__attribute__((target("avx512f"))) void read512(const char *data, size_t bytes) {
  __m512 sums[8] = {};
  for (size_t at = 0; at + 512 <= bytes; at += 512) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      _mm_prefetch(data + at + 64 * i + 2048, _MM_HINT_T0);
      sums[i] = _mm512_add_ps(sums[i], _mm512_load_ps(reinterpret_cast<const float *>(data + at + 64 * i)));
    }
  }
  for (__m512 sum : sums)
    sink = _mm512_reduce_add_ps(sum);
}

__attribute__((target("avx2"))) void read256(const char *data, size_t bytes) {
  __m256 sums[8] = {};
  for (size_t at = 0; at + 256 <= bytes; at += 256) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      _mm_prefetch(data + at + 32 * i + 2048, _MM_HINT_T0);
      sums[i] = _mm256_add_ps(sums[i], _mm256_load_ps(reinterpret_cast<const float *>(data + at + 32 * i)));
    }
  }
  for (__m256 sum : sums)
    sink = _mm256_cvtss_f32(sum);
}

} // namespace

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double fmaPeak() {
  bool wide = __builtin_cpu_supports("avx512f");
  double start = threadSeconds();
  wide ? runFma512() : runFma256();
  double seconds = threadSeconds() - start;
  return double(fmaRounds) * accumulators * 2 * (wide ? 16 : 8) / seconds;
}

double fmaPeakOf(const attn_executor *executor) {
  std::vector<double> peaks(executor->workers);
  void *buffers[] = {peaks.data()};
  attn_kernel_args args = {buffers, nullptr, nullptr, nullptr};
  auto slice = [](const attn_kernel_args *arguments, int64_t chunk, void *) {
    static_cast<double *>(arguments->buffers[0])[chunk] = fmaPeak();
  };
  executor->parallel_for(executor->self, slice, &args, executor->workers, nullptr, 0);
  double sum = 0;
  for (double peak : peaks)
    sum += peak;
  return sum;
}

double readBandwidth(const void *data, size_t bytes) {
  double start = threadSeconds();
  __builtin_cpu_supports("avx512f") ? read512(static_cast<const char *>(data), bytes)
                                    : read256(static_cast<const char *>(data), bytes);
  return double(bytes) / (threadSeconds() - start);
}

float *randomFloats(size_t count, float scale, unsigned seed) {
  constexpr size_t huge = size_t(2) << 20;
  size_t bytes = (count * sizeof(float) + huge - 1) / huge * huge;
  void *memory = mmap(nullptr, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto *floats = reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(memory) + huge - 1) & ~(huge - 1));
  madvise(floats, bytes, MADV_HUGEPAGE);
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    floats[i] = scale * (float(state >> 8) / 8388608.0f - 1.0f);
  }
  return floats;
}

Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference) {
  body();
  std::vector<double> seconds, references, shares;
  for (int i = 0; i < repetitions; ++i) {
    double before = reference(), start = threadSeconds();
    body();
    double taken = threadSeconds() - start, after = reference(), mean = 0.5 * (before + after);
    seconds.push_back(taken);
    references.push_back(mean);
    shares.push_back(work / taken / mean);
  }
  Measurement result;
  result.seconds = median(seconds);
  result.rate = work / result.seconds;
  result.reference = median(references);
  result.share = median(shares);
  return result;
}

void print(const std::string &name, const Measurement &measurement, const char *unit) {
  std::printf("%-44s %10.3f ms %9.2f G%s/s %6.1f %% of %.1f\n", name.c_str(), measurement.seconds * 1e3,
              measurement.rate * 1e-9, unit, measurement.share * 100, measurement.reference * 1e-9);
  std::fflush(stdout);
}

} // namespace attnc::bench
