#include "tools/machine/Peak.h"
#include <chrono>
#include <ctime>
#include <immintrin.h>
#include <vector>

namespace attnc::machine {

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

namespace {

constexpr int accumulators = 12; // more than latency times ports, fewer than registers
constexpr long fmaRounds = 1000000;

// Inline assembly prevents folding and reordering of the chains.
__attribute__((target("avx512f"))) void runFma512() {
  __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(1e-7f), sums[accumulators];
  for (__m512 &sum : sums)
    sum = factor;
  for (long round = 0; round < fmaRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i)
      asm volatile("vfmadd213ps %2, %1, %0" : "+v"(sums[i]) : "v"(factor), "v"(term));
  }
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
}

// Two streams with hardware prefetching: as fast as any measured pattern (one to four streams, software prefetches of
// 0.5 to 16 KB), and up to 7 % faster than one stream.
__attribute__((target("avx512f"))) void read512(const char *data, size_t bytes) {
  __m512 sums[8] = {};
  const char *halves[] = {data, data + bytes / 2};
  for (size_t at = 0; at < bytes / 2; at += 256) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm512_add_ps(
          sums[i], _mm512_load_ps(reinterpret_cast<const float *>(halves[i / 4] + at + size_t(64 * (i % 4)))));
  }
  for (__m512 sum : sums)
    asm volatile("" : : "v"(sum)); // it is used
}

__attribute__((target("avx2"))) void read256(const char *data, size_t bytes) {
  __m256 sums[8] = {};
  const char *halves[] = {data, data + bytes / 2};
  for (size_t at = 0; at < bytes / 2; at += 128) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm256_add_ps(
          sums[i], _mm256_load_ps(reinterpret_cast<const float *>(halves[i / 4] + at + size_t(32 * (i % 4)))));
  }
  for (__m256 sum : sums)
    asm volatile("" : : "x"(sum)); // it is used
}

} // namespace

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

double readBandwidthOf(const attn_executor *executor, const void *data, size_t bytes) {
  constexpr size_t piece = size_t(4) << 20;
  void *buffers[] = {const_cast<void *>(data)};
  attn_kernel_args args = {buffers, nullptr, nullptr, nullptr};
  auto read = [](const attn_kernel_args *arguments, int64_t chunk, void *) {
    readBandwidth(static_cast<const char *>(arguments->buffers[0]) + size_t(chunk) * piece, piece);
  };
  auto start = std::chrono::steady_clock::now();
  executor->parallel_for(executor->self, read, &args, int64_t(bytes / piece), nullptr, 0);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return double(bytes / piece * piece) / took.count();
}

} // namespace attnc::machine
