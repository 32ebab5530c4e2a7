//===- Profile.h - time of each kernel within calls ---------------------------------------------------------------===//
//
// Wall-clock time of each launch in a run of an entry point, including the time in which workers wait. The sum over all
// launches is the time of the run without the host code between launches. All launches of a kernel, with all of its
// phases, are one line. Not thread-safe.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include <map>
#include <string>
#include <vector>

namespace attnc {

/// An executor that forwards launches to another one and records the time of each.
class Profile {
public:
  struct Line {
    std::string name, kind;
    int64_t launches = 0;        ///< in all recorded runs
    std::vector<double> seconds; ///< one sum for each run, see endRun()
  };

  /// `inner` runs the launches. The model and `inner` must outlive this object.
  Profile(const attn_model &model, const attn_executor *inner);
  /// The executor to pass to calls.
  const attn_executor *executor() const { return &outer; }
  /// Ends a run of the entry point: its times become one element of `seconds`.
  void endRun();
  /// Drops the times of the current run, such as one that warms up.
  void discardRun();
  /// All kernels in the order of the model's table, also those without launches.
  const std::vector<Line> &lines() const { return kernels; }

private:
  static void parallelFor(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                          int64_t scratchStride);
  attn_executor outer;
  const attn_executor *inner;
  std::vector<Line> kernels;
  struct Noted {
    int64_t launches = 0;
    double seconds = 0;
  };
  std::vector<Noted> current; ///< by kernel, since the last endRun
  struct Phase {
    size_t kernel;
    bool isFirst; ///< of its kernel: counts the launch
  };
  std::map<attn_kernel_fn, Phase> phases;
};

} // namespace attnc
