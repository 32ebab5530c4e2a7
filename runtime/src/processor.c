#include "attn/processor.h"
#include "internal.h"

#include <cpuid.h>
#include <stdatomic.h>
#include <stdio.h>

static const struct feature {
  uint32_t leaf, mask, least, state;
  uint8_t number, subleaf, place;
} features[] = {
#define ROW(NUMBER, NAME, LEAF, SUBLEAF, REGISTER, MASK, LEAST, STATE)                                                 \
  {LEAF, MASK, LEAST, STATE, NUMBER, SUBLEAF, REGISTER},
    ATTN_PROCESSOR_FEATURES(ROW)
#undef ROW
};

ATTN_PUBLIC const char *attn_processor_feature_name(int32_t number) {
  switch (number) {
#define CASE(NUMBER, NAME, LEAF, SUBLEAF, REGISTER, MASK, LEAST, STATE)                                                \
  case NUMBER: return NAME;
    ATTN_PROCESSOR_FEATURES(CASE)
#undef CASE
  }
  return 0;
}

/* Returns XCR0, the registers that the operating system saves; 0 without XGETBV. */
static uint32_t saved_state(void) {
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static uint64_t detect(void) {
  uint32_t state = saved_state(), words[4] = {0}, leaf = 0, subleaf = 0;
  uint64_t found = 0;
  for (size_t i = 0; i < sizeof features / sizeof *features; ++i) {
    const struct feature *feature = &features[i];
    if (feature->leaf != leaf || feature->subleaf != subleaf) {
      leaf = feature->leaf;
      subleaf = feature->subleaf;
      if (!__get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]))
        words[0] = words[1] = words[2] = words[3] = 0;
    }
    if ((words[feature->place] & feature->mask) >= feature->least && (state & feature->state) == feature->state)
      found |= 1ull << feature->number;
  }
  return found;
}

ATTN_PUBLIC uint64_t attn_processor_features(void) {
  /* Racing threads detect the same features. */
  static atomic_uint_least64_t remembered;
  const uint64_t is_known = 1ull << 63;
  uint64_t found = atomic_load_explicit(&remembered, memory_order_relaxed);
  if (!found) {
    found = detect() | is_known;
    atomic_store_explicit(&remembered, found, memory_order_relaxed);
  }
  return found & ~is_known;
}

attn_code attn_check_processor(const attn_model *model, attn_status *status) {
  uint64_t missing = model->features & ~attn_processor_features();
  if (!missing)
    return ATTN_OK;
  char names[320] = "";
  for (int number = 0, used = 0; number < 64 && used < (int)sizeof names; ++number) {
    if (!(missing >> number & 1))
      continue;
    const char *name = attn_processor_feature_name(number), *comma = used ? ", " : "";
    used += name ? snprintf(names + used, sizeof names - (size_t)used, "%s%s", comma, name)
                 : snprintf(names + used, sizeof names - (size_t)used, "%sfeature %d", comma, number);
  }
  return attn_fail(status, ATTN_UNSUPPORTED,
                   "%s: compiled for %s, but this processor or its operating system has no %s; compile it for an older "
                   "--target",
                   model->name, model->target, names);
}
