#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <vector>

namespace attnc {

size_t editDistance(std::string_view a, std::string_view b, size_t limit) {
  size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit)
    return limit + 1;
  // Rows i-2, i-1 and i of the table d[i][j], the distance between the first i letters of a and the first j of b.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > limit)
      return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() < 2)
    return std::nullopt;
  size_t best = std::max<size_t>(word.size() / 3, 1) + 1;
  std::optional<std::string> found;
  for (const std::string &candidate : candidates) {
    size_t distance = candidate == word ? best : editDistance(word, candidate, best - 1);
    if (distance >= best)
      continue;
    best = distance;
    found = candidate;
    if (best == 1)
      break;
  }
  return found;
}

std::string didYouMean(std::string_view word, std::span<const std::string> candidates) {
  auto near = nearest(word, candidates);
  return near ? "; did you mean `" + *near + "`?" : std::string();
}

} // namespace attnc
