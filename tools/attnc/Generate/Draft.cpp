#include "tools/attnc/Generate/Draft.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

Expected<std::vector<int32_t>> RepeatedText::propose(const Writer &writer, int64_t most) {
  ArrayRef<int32_t> text = writer.wholeText();
  constexpr size_t longestEnd = 3;
  for (size_t size = std::min(longestEnd, text.size() - 1); size > 0; --size) {
    ArrayRef<int32_t> end = text.take_back(size), earlier = text.drop_back();
    auto place = std::find_end(earlier.begin(), earlier.end(), end.begin(), end.end());
    if (place == earlier.end())
      continue;
    ArrayRef<int32_t> next(place + size, text.end());
    next = next.take_front(size_t(most));
    return std::vector<int32_t>(next.begin(), next.end());
  }
  return std::vector<int32_t>();
}

Expected<std::vector<int32_t>> DraftModel::propose(const Writer &target, int64_t most) {
  auto isBeyond = [](int64_t room) { return [room](int32_t token) { return room > 0 && token >= room; }; };
  if (std::ranges::any_of(target.wholeText(), isBeyond(room)))
    return std::vector<int32_t>();
  auto tokens = writer->continueTextOf(target, most);
  if (tokens)
    tokens->erase(std::ranges::find_if(*tokens, isBeyond(roomOfOther)), tokens->end());
  return tokens;
}

} // namespace attnc
