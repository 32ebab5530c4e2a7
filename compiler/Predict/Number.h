//===- Number.h - abstract value of an integer that affects control flow ------------------------------------------===//
//
// The cost models (CodeTime.h, HalideTime.h) evaluate loop bounds, conditions and arguments of calls on these values.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc {

/// An integer, a truth value or a pointer in generated code. A default object is unknown data without a bound.
struct Number {
  enum Kind {
    Known,  ///< equal to `value`
    Data,   ///< comes from data; at most `value`, unless that is `unbounded`
    Varies, ///< depends on the index of a loop that is walked once for all iterations; `value` has no meaning
  } kind = Data;
  static constexpr int64_t unbounded = INT64_MAX;
  int64_t value = unbounded;
  static Number known(int64_t value) { return {Known, value}; }
  static Number varies() { return {Varies, 0}; }
  bool operator==(const Number &) const = default;
};

} // namespace attnc
