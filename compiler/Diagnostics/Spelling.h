//===- Spelling.h - spelling suggestions by edit distance ---------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnc {

/// Restricted Damerau-Levenshtein distance between `a` and `b`: the smallest number of insertions, deletions,
/// replacements and swaps of neighbouring bytes. Returns `limit` + 1 if it exceeds `limit`.
size_t editDistance(std::string_view a, std::string_view b, size_t limit);

/// The candidate with the smallest edit distance to `word`; among equal distances the first. Candidates equal to `word`
/// are skipped. Null if no distance is at most max(1, bytes of `word` / 3), or if `word` has fewer than two bytes.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// The suffix of a message about `word`: "; did you mean `loss`?" with the result of nearest(), or an empty text.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);

} // namespace attnc
