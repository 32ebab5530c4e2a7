//===- Number.h - what is known of a number that steers code ------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc {

struct Number {
  enum Kind {
    Known,  ///< it is `value`
    Data,   ///< it comes from data; at most `value`, where that is not `unbounded`
    Varies, ///< it depends on an index of a loop that is walked once for all iterations
  } kind = Data;
  static constexpr int64_t unbounded = INT64_MAX;
  int64_t value = unbounded;
  static Number known(int64_t value) { return {Known, value}; }
  static Number varies() { return {Varies, 0}; }
  bool operator==(const Number &) const = default;
};

} // namespace attnc
