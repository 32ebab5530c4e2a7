//===- FiniteWatch.h - check of kernel results for NaN and infinities --------------------------------------------===//
//
// An executor that forwards launches to another one and checks the results of each kernel. It records the first launch
// of a call with a NaN or an infinity in its results. Some kernels compute infinities regularly, such as the statistics
// of a row without keys. A launch with such a result in a call without a fault is therefore ignored in later calls.
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
  struct Finding {
    const attn_kernel_info *kernel; ///< the kernel with that result
    int64_t launch;                 ///< number among the kernel's launches in this call, from 1
    bool isNan;                     ///< a NaN; otherwise an infinity
  };

  FiniteWatch(const attn_model &model, const attn_executor *inner);
  FiniteWatch(const FiniteWatch &) = delete;
  FiniteWatch &operator=(const FiniteWatch &) = delete;
  const attn_executor *executor() const { return &outer; }

  /// The finding of the current call.
  const std::optional<Finding> &finding() const { return found; }
  /// Ends a call; `wasGood` if it had no fault, so that its non-finite results are regular ones.
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
