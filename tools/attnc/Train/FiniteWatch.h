//===- FiniteWatch.h - check of kernel results for NaN and infinities ---------------------------------------------===//
//
// A FiniteWatch has an executor that forwards launches to another executor and then checks the f32 results of each
// kernel. The FiniteWatch records the first launch of a call that has a NaN or an infinity in its results. Some kernels
// compute infinities regularly, such as the statistics of a row without keys. If a launch has such a result in a call
// without a fault, the same launch is therefore ignored in later calls. Results of other types are not checked, nor are
// launches on a device, which do not pass through an executor.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attnc {

class FiniteWatch {
public:
  /// The first launch of a call with a non-finite result.
  struct Finding {
    const attn_kernel_info *kernel; ///< the launched kernel, in the model's table
    int64_t launch;                 ///< number among the kernel's launches in this call, from 1
    bool isNan;                     ///< the result has a NaN; otherwise an infinity
  };

  /// `inner` runs the launches. The model and `inner` must outlive this object.
  FiniteWatch(const attn_model &model, const attn_executor *inner);
  FiniteWatch(const FiniteWatch &) = delete;
  FiniteWatch &operator=(const FiniteWatch &) = delete;
  /// The executor to pass to calls; this object owns it.
  const attn_executor *executor() const { return &outer; }

  /// The finding of the call since the last endCall(); null if there is none.
  const std::optional<Finding> &finding() const { return found; }
  /// To be called after each call of an entry point. `wasGood` is whether the call had no fault; its launches with
  /// non-finite results are then regular ones.
  void endCall(bool wasGood);

private:
  static void parallelFor(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                          int64_t scratchStride);
  void look(const attn_kernel_info &kernel, const attn_kernel_args &args); ///< checks the results of a launch

  attn_executor outer;
  const attn_executor *inner;
  std::map<attn_kernel_fn, const attn_kernel_info *> lastPhases; ///< the last phase of each kernel
  std::map<const attn_kernel_info *, int64_t> launches;          ///< in this call
  /// Launches with non-finite results: regular ones, which are ignored, and those of the current call.
  std::set<std::pair<const attn_kernel_info *, int64_t>> usual, seen;
  std::optional<Finding> found;
};

} // namespace attnc
