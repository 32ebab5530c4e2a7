//===- ResultCheck.h - whether a candidate computes what the default does -----------------------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include <string>
#include <vector>

namespace attnc {

/// How far elements may lie from the default's: `share` of the largest of their tensor, or `least`, if that is more.
struct Allowance {
  double share = 1e-3; ///< far more than the order of sums makes of f32, far less than an element in the wrong place
  double least = 0;    ///< of what cancels to nearly nothing, only rounding is left
};

/// What is wrong with a tensor: a sentence, or nothing. NaN and infinities stand where they stood. Integers are chosen
/// by comparing such elements, and may be others in a hundredth of places.
std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found,
                         Allowance allowance);

/// What a call leaves behind, to compare that of other code on the same inputs with: its results; states; and of a step
/// of training the optimizer's states, which are of the gradients. (A weight may be moved either way by a gradient that
/// is nothing but rounding. Where an optimizer has no states, weights have to be nearly the same.)
class ResultCheck {
public:
  /// Of the default, which has been called once.
  void remember(const Invocation &call);
  /// What is wrong with what a candidate's first call left, or nothing.
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
