//===- NumberRange.h - ranges of element types --------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace attnc::check {

/// True if a finite number overflows f32: its conversion is infinite.
inline bool isBeyondF32(double value) { return std::isfinite(value) && std::isinf(static_cast<float>(value)); }
/// True if an integer is not the value of an i32.
inline bool isBeyondI32(int64_t value) { return value != static_cast<int32_t>(value); }

/// Returns the message of the error for a number beyond f32; the hint of the error is infinityHint.
inline std::string beyondF32(double value) {
  return fmt::format("{} does not fit into f32, whose largest number is 3.4028235e+38", value);
}
inline constexpr const char *infinityHint = "infinity is written `inf`";

} // namespace attnc::check
