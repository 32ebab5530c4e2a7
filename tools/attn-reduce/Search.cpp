#include "tools/attn-reduce/Search.h"

#include <numeric>

namespace attnc::reduce {

std::string Search::run(std::string text) {
  current = std::move(text);
  for (bool changed = true; changed && !isStopped; ++counts.rounds) {
    changed = false;
    for (const Transformation &transformation : subject.transformations())
      changed |= reduceBy(transformation);
  }
  return current;
}

bool Search::reduceBy(const Transformation &transformation) {
  isStopped |= !watcher.goesOn();
  if (isStopped)
    return false;
  bool changed = false;
  std::unique_ptr<Changes> changes = transformation.find(current);
  size_t length = transformation.inGroups ? changes->count() : std::min<size_t>(changes->count(), 1);
  for (; length > 0; length /= 2)
    for (size_t begin = 0; begin < changes->count();) {
      std::optional<Attempt> taken = attempt(transformation, *changes, begin, length);
      if (!taken)
        break;
      // The next changes now have the numbers of the accepted ones.
      begin = taken->begin;
      current = std::move(taken->text);
      changes = transformation.find(current);
      changed = true;
      ++counts.taken;
      isStopped = !watcher.taken(current);
      if (isStopped)
        return true;
    }
  return changed;
}

std::optional<Search::Attempt> Search::attempt(const Transformation &transformation, const Changes &changes,
                                               size_t begin, size_t length) {
  const Size largest = subject.sizeOf(current);
  std::vector<Attempt> attempts;
  std::unordered_set<std::string> asked;
  auto next = [&]() -> std::optional<std::string> {
    while (begin < changes.count() && watcher.goesOn()) {
      std::vector<size_t> chosen(std::min(length, changes.count() - begin));
      std::iota(chosen.begin(), chosen.end(), begin);
      std::optional<std::string> text = changes.apply(chosen);
      begin += chosen.size();
      if (!text || refused.contains(*text) || asked.contains(*text) || !(subject.sizeOf(*text) < largest))
        continue;
      ++counts.tried;
      watcher.progress(transformation, largest, counts);
      attempts.push_back({chosen.front(), *text});
      asked.insert(*text);
      return text;
    }
    return std::nullopt;
  };
  std::optional<size_t> found = question.first(next);
  for (size_t i = 0; i < found.value_or(attempts.size()); ++i)
    refused.insert(std::move(attempts[i].text));
  if (!found)
    return std::nullopt;
  return std::move(attempts[*found]);
}

} // namespace attnc::reduce
