//===- Quantities.h - formatting of numbers and times -------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc {

/// "1.84G", "12k", "512": three digits and a prefix.
std::string scaled(double value);
/// "0.0123" for 12.3 microseconds.
std::string milliseconds(double seconds);

} // namespace attnc
