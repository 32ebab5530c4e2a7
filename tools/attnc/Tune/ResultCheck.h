//===- ResultCheck.h - comparison of a candidate's results with the default schedule's ----------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include <string>
#include <vector>

namespace attnc {

/// Tolerance of the difference of float elements: the larger of `share` times the largest |element| of the tensor, and
/// `least`.
struct Allowance {
  double share = 1e-3; ///< much more than reordered f32 sums differ, much less than a misplaced element does
  double least = 0;    ///< absolute, for tensors that consist of rounding errors after cancellation
};

/// Compares `found` with `expected`, which has the same shape and element type. Returns a sentence with the difference,
/// in which the tensor is called `name`; empty if they agree. NaN and infinities must be at the same positions. One
/// integer or boolean in a hundred may differ, because integers may result from comparisons of rounded numbers.
std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found,
                         Allowance allowance);

/// Compares the effects of a candidate's first call with those of the default schedule's first call on the same inputs:
/// results, states among the inputs and, for a training step, the optimizer's states, which follow the gradients.
/// Weights are not compared, because a gradient that is only rounding error may move a weight in either direction. If
/// the optimizer has no states, weights are compared all the same, with a small tolerance. Results and states of 16
/// bits have a larger tolerance than f32: at least 2^-8 of the largest |element|. `least` is a unit in the last place
/// (f32) of the largest number of all compared tensors.
class ResultCheck {
public:
  /// Copies the effects of the default schedule, whose `call` has run once. Precedes problemOf().
  void remember(const Invocation &call);
  /// Compares the effects of a candidate, whose `call` of the same entry point has run once. Returns the first
  /// difference as a sentence (differenceOf); empty if all tensors agree.
  std::string problemOf(const Invocation &call) const;

private:
  /// A tensor after a call.
  struct Left {
    std::string name;
    HostTensor tensor;
    Allowance allowance;
  };
  static std::vector<Left> effectsOf(const Invocation &call); ///< all compared tensors of a call

  std::vector<Left> all; ///< of the default schedule
};

} // namespace attnc
