//===- Number.h - abstract value of an integer that affects control flow ------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc {

/// `value` has a meaning for Known and Data only.
struct Number {
  enum Kind {
    Known,  ///< equal to `value`
    Data,   ///< loaded from data; at most `value`, unless that is `unbounded`
    Varies, ///< depends on the index of a loop that is walked once for all iterations
  } kind = Data;
  static constexpr int64_t unbounded = INT64_MAX;
  int64_t value = unbounded;
  static Number known(int64_t value) { return {Known, value}; }
  static Number varies() { return {Varies, 0}; }
  bool operator==(const Number &) const = default;
};

} // namespace attnc
