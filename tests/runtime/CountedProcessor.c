/* runtime/src/processor.c with a counting CPUID and renamed exports. */
#include <cpuid.h>

int counted_cpuids;

static int counted_cpuid_count(unsigned leaf, unsigned subleaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  ++counted_cpuids;
  return __get_cpuid_count(leaf, subleaf, a, b, c, d);
}

static int counted_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  ++counted_cpuids;
  return __get_cpuid(leaf, a, b, c, d);
}

#define __get_cpuid_count counted_cpuid_count
#define __get_cpuid counted_cpuid
#define attn_processor_features counted_processor_features
#define attn_processor_feature_name counted_processor_feature_name
#define attn_check_processor counted_check_processor
#include "runtime/src/processor.c"
