//===- ResultCheck.h - comparison of a candidate's results with those of the default ------------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include <string>
#include <vector>

namespace attnc {

/// Tolerance of elements: the larger of `share` times the largest element of the tensor, and `least`.
struct Allowance {
  double share = 1e-3; ///< much more than reordered f32 sums differ, much less than a misplaced element does
  double least = 0;    ///< for tensors that consist of rounding errors after cancellation
};

/// The error of the tensor `found`, called `name`, as a sentence; empty if it agrees with `expected`. NaN and
/// infinities must be at the same positions. One integer in a hundred may differ, because integers may result from
/// comparisons of rounded numbers.
std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found,
                         Allowance allowance);

/// Compares the effects of a call with those of the default's first call on the same inputs: results, states and, for a
/// training step, the optimizer's states, which follow the gradients. Weights are not compared, because a gradient that
/// is only rounding error may move a weight in either direction; if the optimizer has no states, they are compared with
/// a small tolerance.
class ResultCheck {
public:
  /// Stores the effects of the default, which has been called once.
  void remember(const Invocation &call);
  /// The error of a candidate, which has been called once; empty if there is none.
  std::string problemOf(const Invocation &call) const;

private:
  struct Left {
    std::string name;
    HostTensor tensor;
    Allowance allowance;
  };
  static std::vector<Left> leftBy(const Invocation &call);

  std::vector<Left> all;
};

} // namespace attnc
