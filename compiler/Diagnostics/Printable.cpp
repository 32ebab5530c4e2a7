#include "compiler/Diagnostics/Printable.h"
#include "compiler/Diagnostics/Utf8.h"

#include <fmt/format.h>
#include <vector>

namespace attnc {

/// The length of the first character of `text`; 0 if it is not valid UTF-8 or is a control character.
static size_t visibleCharacter(std::string_view text) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = characterLength(text);
  bool isControl = length == 1 ? at(0) < 0x20 || at(0) == 0x7F : length == 2 && at(0) == 0xC2 && at(1) < 0xA0;
  return isControl ? 0 : length;
}

/// The printed form of each character of the text.
static std::vector<std::string> shownCharacters(std::string_view text, std::string_view allowed) {
  std::vector<std::string> shown;
  while (!text.empty()) {
    bool isAllowed = allowed.find(text[0]) != std::string_view::npos;
    size_t length = isAllowed ? 1 : visibleCharacter(text);
    shown.push_back(length > 0 ? std::string(text.substr(0, length))
                               : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0])));
    text.remove_prefix(length > 0 ? length : 1);
  }
  return shown;
}

std::string printable(std::string_view text, size_t most) {
  constexpr std::string_view dots = "...";
  std::vector<std::string> shown = shownCharacters(text, "");
  std::string whole;
  for (const std::string &each : shown)
    whole += each;
  if (whole.size() <= most || most <= dots.size())
    return whole;
  std::string head, tail;
  size_t room = most - dots.size(), last = shown.size();
  for (size_t i = 0; head.size() + shown[i].size() <= (room + 1) / 2; ++i)
    head += shown[i];
  while (tail.size() + shown[last - 1].size() <= room / 2)
    tail.insert(0, shown[--last]);
  return head + std::string(dots) + tail;
}

std::string printableLines(std::string_view message) {
  std::string whole;
  for (const std::string &each : shownCharacters(message, "\n\t"))
    whole += each;
  return whole;
}

} // namespace attnc
