#include "frontends/tokenizer/TokenStream.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>

namespace attnc::tokenizer {

static constexpr size_t mostWaiting = 16; ///< tokens; more than the bytes of a character

/// The part of `text` after the text that was returned. They differ only if bytes are not UTF-8.
std::string TokenStream::newText(const std::string &text) const {
  size_t same = size_t(std::ranges::mismatch(prefix, text).in1 - prefix.begin());
  while (same > 0 && same < text.size() && (uint8_t(text[same]) & 0xC0) == 0x80)
    --same;
  return text.substr(same);
}

std::string TokenStream::add(int32_t id) {
  if (!tokenizer.token(id) || (!withSpecial && tokenizer.isSpecial(id)))
    return "";
  ids.push_back(id);
  std::string text = tokenizer.decode(ids, withSpecial);
  bool isIncomplete = text.ends_with(replacementCharacter) && ids.size() - known < mostWaiting;
  if (isIncomplete || text.size() <= prefix.size())
    return "";
  std::string result = newText(text);
  ids.erase(ids.begin(), ids.begin() + ptrdiff_t(known));
  known = ids.size();
  prefix = tokenizer.decode(ids, withSpecial);
  return result;
}

std::string TokenStream::finish() {
  std::string result = newText(tokenizer.decode(ids, withSpecial));
  ids.clear();
  known = 0;
  prefix.clear();
  return result;
}

} // namespace attnc::tokenizer
