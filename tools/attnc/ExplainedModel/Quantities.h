//===- Quantities.h - formatting of numbers and times -------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc {

/// A nonnegative number with three significant digits and a decimal prefix (k, M, G, T): "1.84G", "12k", "512".
std::string scaled(double value);
/// A time in milliseconds with four decimals and without a unit: "0.0123" for 12.3 microseconds.
std::string milliseconds(double seconds);

} // namespace attnc
