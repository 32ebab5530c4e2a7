//===- PtxText.h - queries of PTX text ----------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnc {

/// Returns the PTX of the kernel function (.entry) with this name, up to the next one. The function must exist.
std::string functionOf(const std::string &ptx, const std::string &name);
/// Returns the number of occurrences of `part` in `text`, overlapping ones included.
int64_t count(std::string_view text, std::string_view part);

} // namespace attnc
