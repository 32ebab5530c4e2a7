//===- PtxText.h - what is in PTX ---------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnc {

/// The PTX of one function of it.
std::string functionOf(const std::string &ptx, const std::string &name);
/// How often something is said there.
int64_t count(std::string_view text, std::string_view part);

} // namespace attnc
