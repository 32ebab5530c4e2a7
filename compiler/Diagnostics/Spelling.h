//===- Spelling.h - spelling suggestions by edit distance ------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnc {

/// Restricted Damerau-Levenshtein distance between `a` and `b`: the smallest number of insertions, deletions,
/// replacements and swaps of neighbours. Returns at most `limit` + 1.
size_t editDistance(std::string_view a, std::string_view b, size_t limit);

/// The first candidate, other than `word`, with the smallest distance to it, if that is at most max(1, letters / 3);
/// null for a word of one letter.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// The suffix "; did you mean `loss`?" of a message, or an empty text without a near candidate.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);

} // namespace attnc
