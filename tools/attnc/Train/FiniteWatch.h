//===- FiniteWatch.h - where a number that is not finite was made ------------------------------------------------===//
//
// An executor that passes launches on to another and looks at what each kernel has computed: the first launch of a
// call whose results hold a NaN or an infinity is kept. Some kernels give infinities as a matter of course (the
// statistics of a row without keys): launches that did in a call that went well are not looked at again.
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
    const attn_kernel_info *kernel; ///< whose result it is
    int64_t launch;                 ///< its number among the kernel's launches in this call, from 1
    bool isNan;                     ///< otherwise an infinity
  };

  FiniteWatch(const attn_model &model, const attn_executor *inner);
  FiniteWatch(const FiniteWatch &) = delete;
  FiniteWatch &operator=(const FiniteWatch &) = delete;
  const attn_executor *executor() const { return &outer; }

  /// What was found since the last endCall().
  const std::optional<Finding> &finding() const { return found; }
  /// `wasGood`: what was found is no fault.
  void endCall(bool wasGood);

private:
  static void parallelFor(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                          int64_t scratchStride);
  void look(const attn_kernel_info &kernel, const attn_kernel_args &args);

  attn_executor outer;
  const attn_executor *inner;
  std::map<attn_kernel_fn, const attn_kernel_info *> lastPhases; ///< after which results are whole
  std::map<const attn_kernel_info *, int64_t> launches;          ///< in this call
  std::set<std::pair<const attn_kernel_info *, int64_t>> usual, seen;
  std::optional<Finding> found;
};

} // namespace attnc
