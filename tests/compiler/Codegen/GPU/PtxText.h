//===- PtxText.h - queries of PTX text ----------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnc {

/// Returns the PTX of one function.
std::string functionOf(const std::string &ptx, const std::string &name);
/// Returns the number of occurrences of `part`.
int64_t count(std::string_view text, std::string_view part);

} // namespace attnc
