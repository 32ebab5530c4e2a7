//===- Profile.h - time of each kernel within calls ---------------------------------------------------------------===//
//
// A Profile records the wall-clock time of each launch in a run of an entry point, including the time in which workers
// wait. The sum over all launches is the time of the run without the host code between launches. All launches of a
// kernel, with all of its kernel phases, are summed in one Line. Not thread-safe: one run at a time.
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
  /// The times of one kernel.
  struct Line {
    std::string name, kind;      ///< of the kernel, as in attn_kernel_info
    int64_t launches = 0;        ///< number of launches in all recorded runs
    std::vector<double> seconds; ///< for each recorded run, the time of all launches of the kernel; see endRun()
  };

  /// `inner` runs the launches. The model and `inner` must outlive this object.
  Profile(const attn_model &model, const attn_executor *inner);
  /// The executor to pass to calls (attn_context). This object owns it, and must not be copied or moved.
  const attn_executor *executor() const { return &outer; }
  /// Ends a run of the entry point: its times are appended to `seconds` of each line, 0 for kernels without launches.
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
  /// Launches of one kernel in the current run.
  struct Noted {
    int64_t launches = 0;
    double seconds = 0;
  };
  std::vector<Noted> current; ///< by kernel, since the last endRun() or discardRun()
  struct Phase {
    size_t kernel;
    bool isFirst; ///< of its kernel: counts the launch
  };
  std::map<attn_kernel_fn, Phase> phases;
};

} // namespace attnc
