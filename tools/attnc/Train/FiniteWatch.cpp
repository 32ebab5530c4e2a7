#include "tools/attnc/Train/FiniteWatch.h"
#include <algorithm>
#include <cmath>

namespace attnc {

FiniteWatch::FiniteWatch(const attn_model &model, const attn_executor *inner)
    : outer{parallelFor, this, inner->workers}, inner(inner) {
  for (int64_t k = 0; k < model.kernel_count; ++k)
    if (const attn_kernel_info &kernel = model.kernels[k]; kernel.phase_count > 0)
      lastPhases[kernel.phases[kernel.phase_count - 1]] = &kernel;
}

void FiniteWatch::parallelFor(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks,
                              char *scratch, int64_t scratchStride) {
  auto &watch = *static_cast<FiniteWatch *>(self);
  watch.inner->parallel_for(watch.inner->self, fn, args, chunks, scratch, scratchStride);
  if (auto kernel = watch.lastPhases.find(fn); kernel != watch.lastPhases.end())
    watch.look(*kernel->second, *args);
}

/// A NaN among the values, otherwise an infinity, otherwise a finite number.
static float worst(const float *values, int64_t count) {
  float result = 0;
  for (const float *value = values; value != values + count; ++value)
    if (std::isnan(*value))
      return *value;
    else if (std::isinf(*value))
      result = *value;
  return result;
}

void FiniteWatch::look(const attn_kernel_info &kernel, const attn_kernel_args &args) {
  int64_t launch = ++launches[&kernel];
  const int64_t *size = args.sizes;
  for (int32_t number = 0; number < kernel.operand_count + kernel.result_count; ++number) {
    const attn_kernel_tensor &tensor = kernel.tensors[number];
    int64_t count = 1;
    for (int32_t d = 0; d < tensor.rank; ++d)
      count *= tensor.shape[d] < 0 ? *size++ : tensor.shape[d];
    if (number < kernel.operand_count || tensor.dtype != ATTN_F32)
      continue;
    float value = worst(static_cast<const float *>(args.buffers[number]), count);
    if (std::isfinite(value))
      continue;
    seen.insert({&kernel, launch});
    if (!found && !usual.contains({&kernel, launch}))
      found = Finding{&kernel, launch, std::isnan(value)};
  }
}

void FiniteWatch::endCall(bool wasGood) {
  if (wasGood)
    usual.merge(seen);
  seen.clear();
  launches.clear();
  found.reset();
}

} // namespace attnc
