#include "tools/machine/WideSleep.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <immintrin.h>
#include <vector>

namespace attnc::machine {

namespace {

constexpr int passes = 100; // a few tenths of a microsecond

__attribute__((target("avx512f"))) void multiplyAndAdd(int rounds) {
  __m512 one = _mm512_set1_ps(1.0f), values[12];
  for (__m512 &value : values)
    value = one;
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (__m512 &value : values)
      asm volatile("vfmadd213ps %1, %1, %0" : "+v"(value) : "v"(one));
  }
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double secondsOf(int rounds) {
  double from = now();
  multiplyAndAdd(rounds);
  return now() - from;
}

/// Seconds of `rounds` after `idle` seconds without wide vectors. The result is the upper quartile of several slices,
/// because the lanes are not powered down each time.
double secondsBehind(double idle, int rounds) {
  constexpr int slices = 41, awake = 10000;
  std::vector<double> seconds;
  for (int slice = 0; slice < slices; ++slice) {
    multiplyAndAdd(awake);
    for (double from = now(); now() - from < idle;)
      ;
    seconds.push_back(secondsOf(rounds));
  }
  constexpr int place = 3 * slices / 4;
  std::nth_element(seconds.begin(), seconds.begin() + place, seconds.end());
  return seconds[place];
}

} // namespace

WideSleep wideSleep() {
  constexpr double forEver = 1e3, none = 1e-12, shortest = 0.5e-6, longest = 128e-6;
  WideSleep never = {forEver, none, 1};
  if (!__builtin_cpu_supports("avx512f"))
    return never;
  double awake = secondsBehind(0, passes);
  for (double idle = shortest; idle <= longest; idle *= 2) {
    double drowsy = secondsBehind(idle, passes);
    if (drowsy < 2 * awake)
      continue;
    constexpr int many = 100 * passes; // the warm-up ends long before the last pass
    double lost = secondsBehind(2 * idle, many) - secondsBehind(0, many);
    // The loss must exceed that of the first passes, or it has another cause.
    if (lost > drowsy - awake)
      return {idle / std::sqrt(2.0), lost, drowsy / awake};
  }
  return never;
}

} // namespace attnc::machine
