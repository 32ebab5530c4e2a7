//===- Profile.h - time of each kernel within calls ---------------------------------------------------------------===//
//
// Times are wall-clock seconds around each launch, between the launches of one run of an entry point, workers' waiting
// included: their sum is the run's time less what the host code takes between launches. A kernel with several phases
// is one line, and so are all launches of one kernel. Not for calls from several threads at once.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include <map>
#include <string>
#include <vector>

namespace attnc {

/// An executor that passes launches on to another and notes how long each kernel's phases take.
class Profile {
public:
  struct Line {
    std::string name, kind;
    int64_t launches = 0;        ///< in all runs that count
    std::vector<double> seconds; ///< one sum for each run, see endRun()
  };

  Profile(const attn_model &model, const attn_executor *inner);
  const attn_executor *executor() const { return &outer; }
  /// Closes one run of the entry point: what was noted since the last call becomes one element of `seconds`.
  void endRun();
  /// Forgets what was noted since the last call, such as a run that only warms up.
  void discardRun();
  /// The kernels that ran, in the order of the model's table.
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
  std::vector<Noted> current; ///< since the last endRun, a kernel each
  struct Phase {
    size_t kernel;
    bool isFirst; ///< each launch has one of them
  };
  std::map<attn_kernel_fn, Phase> phases;
};

} // namespace attnc
