#include "attn/random.h"
#include "internal.h"

#include <string.h>

ATTN_PUBLIC void attn_random_words(uint64_t seed, uint64_t stream, uint64_t index, uint32_t words[4]) {
  if (!words)
    return;
  uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32), c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  memcpy(words, (uint32_t[]){c0, c1, c2, c3}, 4 * sizeof *words);
}

ATTN_PUBLIC double attn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
  uint32_t words[4];
  attn_random_words(seed, stream, index / 4, words);
  return (words[index % 4] + 0.5) * 0x1p-32;
}

/* Returns the natural logarithm of a normal positive number: log m by its atanh series, m in [1/sqrt 2, sqrt 2). */
static double log_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int64_t exponent = (int64_t)(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  double t = (m - 1) / (m + 1), t2 = t * t, sum = 0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * t2 + 1.0 / k;
  return 2 * t * sum + (double)exponent * 0.69314718055994530942;
}

/* Returns the quantile of p < 0.02425. */
static double tail(double p) {
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                             3.754408661907416e+00};
  double q = __builtin_sqrt(-2 * log_of(p));
  return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
         ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
}

ATTN_PUBLIC double attn_random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                             6.680131188771972e+01, -1.328068155288572e+01};
  double p = attn_random_uniform(seed, stream, index), low = 0.02425;
  if (p < low)
    return tail(p);
  if (p > 1 - low)
    return -tail(1 - p);
  double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}
