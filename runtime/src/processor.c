#include "processor.h"

#include <cpuid.h>

static int has(unsigned word, unsigned mask) { return (word & mask) == mask; }

static unsigned enabled_state(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

unsigned attn_processor_level(void) {
  unsigned a, b, c, d, b7 = 0, c7, d7, ext_c = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) ||
      !has(c, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B))
    return 1;
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
  __get_cpuid(0x80000001, &a, &b, &ext_c, &d);
  const unsigned ymm = 0x6, zmm = 0xe6;
  unsigned state = has(c, bit_OSXSAVE) ? enabled_state() : 0;
  if (!has(c, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE) || !has(b7, bit_AVX2 | bit_BMI | bit_BMI2) ||
      !has(ext_c, bit_LZCNT) || !has(state, ymm))
    return 2;
  if (!has(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) || !has(state, zmm))
    return 3;
  return 4;
}
