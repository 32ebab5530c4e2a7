//===- ResultCheck.h - whether a candidate computes what the default does -----------------------------------------===//
#pragma once

#include "tools/attnc/Invocation.h"
#include <string>
#include <vector>

namespace attnc {

/// What is wrong with a result: a sentence, or nothing. Elements of f32 may lie 1e-3 of the largest one apart, which is
/// far more than the order of sums makes of f32 and far less than an element in the wrong place; NaN and infinities
/// stand where they stood. Integers are chosen by comparing such elements, and may be others in a hundredth of places.
std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found);

/// The results of a call, to compare those of other code on the same inputs with.
class ResultCheck {
public:
  /// Of the default, which has been called once.
  void remember(const Invocation &call);
  /// What is wrong with the results of a candidate's first call, or nothing.
  std::string problemOf(const Invocation &call) const;

private:
  std::vector<HostTensor> results;
};

} // namespace attnc
