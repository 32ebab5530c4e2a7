//===- Spelling.h - did you mean ...? --------------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnc {

/// The least number of letters to insert, drop, replace, or swap with a neighbour, that makes `a` into `b`.
/// Counts no further than `limit` + 1.
size_t editDistance(std::string_view a, std::string_view b, size_t limit);

/// The candidate nearest to `word`, the first of equals, if it is near enough to be meant: at most one edit in three
/// letters. A word of one letter is near to none.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean `loss`?" to put behind a message, or nothing.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);

} // namespace attnc
