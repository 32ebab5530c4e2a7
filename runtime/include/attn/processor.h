/* Features of x86-64 processors that generated code may require. An object records the features of its target
 * (attn_model.features). Before a call, the runtime compares them with attn_processor_features, and returns
 * ATTN_UNSUPPORTED if a feature is missing.
 *
 * Compiler and runtime share the table below; names are LLVM's. The table contains the features that LLVM's code
 * generator uses without intrinsics. It omits features that only intrinsics use (AES, AMX, random numbers), features of
 * every x86-64 processor (SSE2) and hints (PREFETCHW), because the runtime would otherwise reject processors that can
 * run the code. */
#ifndef ATTN_PROCESSOR_H
#define ATTN_PROCESSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table for a feature that is a single bit, number BIT of its register. */
#define ATTN_BIT(X, NUMBER, NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                                                 \
  X(NUMBER, NAME, LEAF, SUBLEAF, REGISTER, 1u << BIT, 1u << BIT, STATE)

/* Masks of XCR0: registers of AVX, AVX-512 and APX. */
#define ATTN_YMM 0x6
#define ATTN_ZMM 0xe6
#define ATTN_APX 0x80000

/* X(NUMBER, NAME, LEAF, SUBLEAF, REGISTER, MASK, LEAST, STATE): the processor has the feature NAME if two conditions
 * hold. First, `(word & MASK) >= LEAST`, where `word` is register number REGISTER (0 EAX, 1 EBX, 2 ECX, 3 EDX) of leaf
 * LEAF, subleaf SUBLEAF of CPUID. Second, the operating system saves the registers STATE, a mask of XCR0 (XGETBV), 0
 * for none. NUMBER, 0 to 62, is the bit in attn_model.features; it is the same in all versions. */
#define ATTN_PROCESSOR_FEATURES(X)                                                                                     \
  ATTN_BIT(X, 0, "sse3", 0x1, 0, 2, 0, 0)                                                                              \
  ATTN_BIT(X, 1, "pclmul", 0x1, 0, 2, 1, 0)                                                                            \
  ATTN_BIT(X, 2, "ssse3", 0x1, 0, 2, 9, 0)                                                                             \
  ATTN_BIT(X, 3, "fma", 0x1, 0, 2, 12, ATTN_YMM)                                                                       \
  ATTN_BIT(X, 4, "cx16", 0x1, 0, 2, 13, 0)                                                                             \
  ATTN_BIT(X, 5, "sse4.1", 0x1, 0, 2, 19, 0)                                                                           \
  ATTN_BIT(X, 6, "sse4.2", 0x1, 0, 2, 20, 0)                                                                           \
  ATTN_BIT(X, 7, "movbe", 0x1, 0, 2, 22, 0)                                                                            \
  ATTN_BIT(X, 8, "popcnt", 0x1, 0, 2, 23, 0)                                                                           \
  ATTN_BIT(X, 9, "avx", 0x1, 0, 2, 28, ATTN_YMM)                                                                       \
  ATTN_BIT(X, 10, "f16c", 0x1, 0, 2, 29, ATTN_YMM)                                                                     \
  ATTN_BIT(X, 11, "bmi", 0x7, 0, 1, 3, 0)                                                                              \
  ATTN_BIT(X, 12, "avx2", 0x7, 0, 1, 5, ATTN_YMM)                                                                      \
  ATTN_BIT(X, 13, "bmi2", 0x7, 0, 1, 8, 0)                                                                             \
  ATTN_BIT(X, 14, "avx512f", 0x7, 0, 1, 16, ATTN_ZMM)                                                                  \
  ATTN_BIT(X, 15, "avx512dq", 0x7, 0, 1, 17, ATTN_ZMM)                                                                 \
  ATTN_BIT(X, 16, "avx512ifma", 0x7, 0, 1, 21, ATTN_ZMM)                                                               \
  ATTN_BIT(X, 17, "avx512cd", 0x7, 0, 1, 28, ATTN_ZMM)                                                                 \
  ATTN_BIT(X, 18, "avx512bw", 0x7, 0, 1, 30, ATTN_ZMM)                                                                 \
  ATTN_BIT(X, 19, "avx512vl", 0x7, 0, 1, 31, ATTN_ZMM)                                                                 \
  ATTN_BIT(X, 20, "avx512vbmi", 0x7, 0, 2, 1, ATTN_ZMM)                                                                \
  ATTN_BIT(X, 21, "avx512vbmi2", 0x7, 0, 2, 6, ATTN_ZMM)                                                               \
  ATTN_BIT(X, 22, "gfni", 0x7, 0, 2, 8, 0)                                                                             \
  ATTN_BIT(X, 23, "vpclmulqdq", 0x7, 0, 2, 10, ATTN_YMM)                                                               \
  ATTN_BIT(X, 24, "avx512vnni", 0x7, 0, 2, 11, ATTN_ZMM)                                                               \
  ATTN_BIT(X, 25, "avx512bitalg", 0x7, 0, 2, 12, ATTN_ZMM)                                                             \
  ATTN_BIT(X, 26, "avx512vpopcntdq", 0x7, 0, 2, 14, ATTN_ZMM)                                                          \
  ATTN_BIT(X, 27, "avx512fp16", 0x7, 0, 3, 23, ATTN_ZMM)                                                               \
  ATTN_BIT(X, 28, "raoint", 0x7, 1, 0, 3, 0)                                                                           \
  ATTN_BIT(X, 29, "avxvnni", 0x7, 1, 0, 4, ATTN_YMM)                                                                   \
  ATTN_BIT(X, 30, "avx512bf16", 0x7, 1, 0, 5, ATTN_ZMM)                                                                \
  ATTN_BIT(X, 31, "cmpccxadd", 0x7, 1, 0, 7, 0)                                                                        \
  ATTN_BIT(X, 32, "avxifma", 0x7, 1, 0, 23, ATTN_YMM)                                                                  \
  ATTN_BIT(X, 33, "avxvnniint8", 0x7, 1, 3, 4, ATTN_YMM)                                                               \
  ATTN_BIT(X, 34, "avxneconvert", 0x7, 1, 3, 5, ATTN_YMM)                                                              \
  ATTN_BIT(X, 35, "avxvnniint16", 0x7, 1, 3, 10, ATTN_YMM)                                                             \
  ATTN_BIT(X, 36, "egpr", 0x7, 1, 3, 21, ATTN_APX)                                                                     \
  ATTN_BIT(X, 37, "push2pop2", 0x7, 1, 3, 21, ATTN_APX)                                                                \
  ATTN_BIT(X, 38, "ppx", 0x7, 1, 3, 21, ATTN_APX)                                                                      \
  ATTN_BIT(X, 39, "sahf", 0x80000001, 0, 2, 0, 0)                                                                      \
  ATTN_BIT(X, 40, "lzcnt", 0x80000001, 0, 2, 5, 0)                                                                     \
  ATTN_BIT(X, 41, "sse4a", 0x80000001, 0, 2, 6, 0)                                                                     \
  ATTN_BIT(X, 42, "xop", 0x80000001, 0, 2, 11, ATTN_YMM)                                                               \
  ATTN_BIT(X, 43, "fma4", 0x80000001, 0, 2, 16, ATTN_YMM)                                                              \
  ATTN_BIT(X, 44, "tbm", 0x80000001, 0, 2, 21, 0)                                                                      \
  X(45, "avx10.1", 0x24, 0, 1, 0xffu, 1u, ATTN_ZMM)                                                                    \
  X(46, "avx10.2", 0x24, 0, 1, 0xffu, 2u, ATTN_ZMM)                                                                    \
  ATTN_BIT(X, 47, "ndd", 0x29, 0, 1, 0, ATTN_APX)                                                                      \
  ATTN_BIT(X, 48, "ccmp", 0x29, 0, 1, 0, ATTN_APX)                                                                     \
  ATTN_BIT(X, 49, "nf", 0x29, 0, 1, 0, ATTN_APX)                                                                       \
  ATTN_BIT(X, 50, "cf", 0x29, 0, 1, 0, ATTN_APX)                                                                       \
  ATTN_BIT(X, 51, "zu", 0x29, 0, 1, 0, ATTN_APX)

/* Returns the features of this processor that its operating system supports: bit NUMBER for each. Thread-safe. The
 * first call executes CPUID, which takes tens of microseconds in a virtual machine; later calls return the same
 * result. */
uint64_t attn_processor_features(void);

/* Returns the name of a feature by its NUMBER, such as "avx2", as a constant string; null for other numbers. */
const char *attn_processor_feature_name(int32_t number);

#ifdef __cplusplus
}
#endif
#endif
