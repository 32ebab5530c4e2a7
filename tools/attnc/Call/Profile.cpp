#include "tools/attnc/Call/Profile.h"
#include <chrono>

namespace attnc {

Profile::Profile(const attn_model &model, const attn_executor *inner)
    : outer{parallelFor, this, inner->workers}, inner(inner), kernels(model.kernel_count), current(model.kernel_count) {
  for (int64_t k = 0; k < model.kernel_count; ++k) {
    const attn_kernel_info &info = model.kernels[k];
    kernels[k].name = info.name;
    kernels[k].kind = info.kind;
    for (int64_t p = 0; p < info.phase_count; ++p)
      phases[info.phases[p]] = {size_t(k), p == 0};
  }
}

void Profile::parallelFor(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                          int64_t scratchStride) {
  auto &profile = *static_cast<Profile *>(self);
  auto from = std::chrono::steady_clock::now();
  profile.inner->parallel_for(profile.inner->self, fn, args, chunks, scratch, scratchStride);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
  auto found = profile.phases.find(fn);
  if (found == profile.phases.end())
    return;
  profile.current[found->second.kernel].launches += found->second.isFirst;
  profile.current[found->second.kernel].seconds += took.count();
}

void Profile::endRun() {
  for (size_t k = 0; k < kernels.size(); ++k) {
    kernels[k].launches += current[k].launches;
    kernels[k].seconds.push_back(current[k].seconds);
  }
  discardRun();
}

void Profile::discardRun() { current.assign(kernels.size(), {}); }

} // namespace attnc
