#include "tools/attnc/Train/NameLists.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace attnc {

namespace {
struct Line {
  SmallVector<std::string> parts; ///< of the name, between its dots
  std::string note;
};
} // namespace

/// Whether a part of a name is the index of a list.
static bool isIndex(StringRef part) {
  constexpr size_t mostDigits = 9;
  return !part.empty() && part.size() <= mostDigits && all_of(part, isDigit) && (part == "0" || part[0] != '0');
}

/// "3", "{0..5}" or "{0,2,4..7}".
static std::string textOf(const std::set<int64_t> &numbers) {
  SmallVector<std::string> ranges;
  for (auto at = numbers.begin(); at != numbers.end();) {
    int64_t first = *at, last = first;
    while (++at != numbers.end() && *at == last + 1)
      last = *at;
    ranges.push_back(std::to_string(first) +
                     (last == first ? "" : (last == first + 1 ? "," : "..") + std::to_string(last)));
  }
  return numbers.size() == 1 ? ranges.front() : "{" + join(ranges, ",") + "}";
}

/// Joins the lines that differ in part `place` alone, which is an index.
static void joinAlong(size_t place, std::vector<Line> &lines) {
  std::map<std::pair<SmallVector<std::string>, std::string>, std::pair<size_t, std::set<int64_t>>> found;
  std::vector<Line> joined;
  for (Line &line : lines) {
    int64_t number = 0;
    if (place >= line.parts.size() || !isIndex(line.parts[place])) {
      joined.push_back(std::move(line));
      continue;
    }
    StringRef(line.parts[place]).getAsInteger(10, number);
    auto key = std::make_pair(line.parts, line.note);
    key.first[place].clear(); // no index is empty, so `key` is not a name
    auto [at, isNew] = found.try_emplace(key, joined.size(), std::set<int64_t>());
    at->second.second.insert(number);
    if (isNew)
      joined.push_back(std::move(line));
  }
  for (const auto &[key, list] : found)
    joined[list.first].parts[place] = textOf(list.second);
  lines = std::move(joined);
}

std::vector<NamedTensor> joinLists(ArrayRef<NamedTensor> tensors) {
  std::vector<Line> lines;
  size_t longest = 0;
  for (const NamedTensor &tensor : tensors) {
    SmallVector<StringRef> parts;
    StringRef(tensor.name).split(parts, '.');
    lines.push_back(
        {SmallVector<std::string>(map_range(parts, [](StringRef part) { return part.str(); })), tensor.note});
    longest = std::max(longest, lines.back().parts.size());
  }
  for (size_t place = longest; place-- > 0;)
    joinAlong(place, lines);
  std::vector<NamedTensor> result;
  for (const Line &line : lines)
    result.push_back({join(line.parts, "."), line.note});
  return result;
}

} // namespace attnc
