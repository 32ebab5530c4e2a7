#include "frontends/attn/Check/Modules/CheckpointNames.h"

#include <algorithm>
#include <cstdlib>

namespace attnc::check {

/// The value of a placeholder such as "0*6+1+#2" at these indices; null for other text in braces.
static std::optional<int64_t> valueAt(const std::string &inner, const std::vector<int64_t> &indices) {
  if (inner.empty() || inner.find_first_not_of("0123456789*+#") != std::string::npos)
    return std::nullopt;
  int64_t sum = 0;
  for (const char *at = inner.c_str(); *at;) {
    char *end = nullptr;
    bool isConstant = *at == '#';
    int64_t term = std::strtoll(at + isConstant, &end, 10);
    if (!isConstant && size_t(term) >= indices.size())
      return std::nullopt;
    if (!isConstant)
      term = indices[size_t(term)];
    if (*end == '*')
      term *= std::strtoll(end + 1, &end, 10);
    sum += term;
    at = *end ? end + 1 : end;
  }
  return sum;
}

static std::string nameAt(const std::string &name, const std::vector<int64_t> &indices) {
  std::string result;
  for (size_t at = 0; at < name.size(); ++at) {
    size_t end = name[at] == '{' ? name.find('}', at) : std::string::npos;
    auto value = valueAt(end == std::string::npos ? "" : name.substr(at + 1, end - at - 1), indices);
    result += value ? std::to_string(*value) : name.substr(at, 1);
    at = value ? end : at;
  }
  return result;
}

/// Whether the names of a list may be equal to each other, or to names with other placeholders: not if its only
/// placeholders are the indices of all its lists.
static bool mayClash(const std::string &name, const std::vector<int64_t> &counts) {
  bool hasSum = name.find('{') != std::string::npos && name.find_first_of("*+") != std::string::npos;
  for (size_t list = 0; list < counts.size(); ++list)
    hasSum |= counts[list] > 1 && name.find("{" + std::to_string(list) + "}") == std::string::npos;
  return hasSum;
}

std::optional<CheckpointNames::Clash> CheckpointNames::addElements(const Named &named) {
  std::vector<int64_t> indices(named.counts.size(), 0);
  for (;;) {
    auto [first, isNew] = elements.emplace(nameAt(named.name, indices), named.place);
    if (!isNew)
      return Clash{first->first, first->second};
    size_t list = indices.size();
    while (list > 0 && ++indices[list - 1] == named.counts[list - 1])
      indices[--list] = 0;
    if (list == 0)
      return std::nullopt;
  }
}

std::optional<CheckpointNames::Clash> CheckpointNames::add(const std::string &name, const std::vector<int64_t> &counts,
                                                           SourceRange place) {
  if (std::find(counts.begin(), counts.end(), 0) != counts.end()) // an empty list has no parameters
    return std::nullopt;
  auto [first, isNew] = texts.emplace(name, place);
  if (!isNew)
    return Clash{name, first->second};
  all.push_back({name, counts, place});
  if (hasElements)
    return addElements(all.back());
  hasElements = mayClash(name, counts);
  std::optional<Clash> other;
  for (size_t each = 0; hasElements && !other && each < all.size(); ++each)
    other = addElements(all[each]);
  return other;
}

} // namespace attnc::check
