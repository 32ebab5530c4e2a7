#include "benchmarks/support/Machine.h"
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <sys/mman.h>
#include <vector>

namespace attnc::bench {

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

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference, Clock clock) {
  auto now = clock == Clock::Thread ? threadSeconds : wallSeconds;
  body();
  std::vector<double> seconds, references, shares;
  for (int i = 0; i < repetitions; ++i) {
    double before = reference(), start = now();
    body();
    double taken = now() - start, after = reference(), mean = 0.5 * (before + after);
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
