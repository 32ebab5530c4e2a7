#include "frontends/tokenizer/ChatTemplate.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/JsonEntry.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"
#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace attnc::tokenizer {

static constexpr auto makeTemplates() {
  using enum ChatTemplate::Place;
  using enum ChatTemplate::Trim;
  using enum ChatTemplate::Thoughts;
  return std::to_array<ChatTemplate>({
#define CHAT_TEMPLATE(...) {__VA_ARGS__},
#include "frontends/tokenizer/ChatTemplates.def"
  });
}
static constexpr auto templates = makeTemplates();

static constexpr char commaNames[] = ""
#define CHAT_TEMPLATE(NAME, ...) ", " NAME
#include "frontends/tokenizer/ChatTemplates.def"
    ;
const char *const ChatTemplate::names = commaNames + 2;

const ChatTemplate *ChatTemplate::named(std::string_view name) {
  for (const ChatTemplate &each : templates)
    if (name == each.name)
      return &each;
  return nullptr;
}

/// Whether a text contains one of the lines `lines`.
static bool hasAny(std::string_view text, std::string_view lines) {
  for (size_t end; !lines.empty(); lines.remove_prefix(std::min(end + 1, lines.size()))) {
    end = std::min(lines.find('\n'), lines.size());
    if (text.find(lines.substr(0, end)) != text.npos)
      return true;
  }
  return false;
}

const ChatTemplate *ChatTemplate::recognised(std::string_view source) {
  auto has = [&](std::string_view text) { return source.find(text) != source.npos; };
  for (const ChatTemplate &each : templates)
    if (has(each.mark) && has(each.also) && !hasAny(source, each.without))
      return &each;
  return nullptr;
}

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isWhitespace(characterAt(text, 0).codePoint))
    text.remove_prefix(characterBytes(text[0]));
  while (!text.empty() && isWhitespace(characterBefore(text, text.size()).codePoint))
    text.remove_suffix(characterBefore(text, text.size()).bytes);
  return text;
}

/// The form of a message with its content in place of the $, and the date in place of the @.
static std::string filled(std::string_view form, std::string_view content, std::string_view date) {
  std::string text;
  for (char c : form)
    if (c == '$')
      text += content;
    else if (c == '@')
      text += date;
    else
      text += c;
  return text;
}

std::string ChatTemplate::today() {
  std::time_t now = std::time(nullptr);
  std::tm date = {};
  localtime_r(&now, &date);
  char text[32] = "";
  std::strftime(text, sizeof text, "%d %b %Y", &date); // in English: the program sets no locale
  return text;
}

/// The content of a message as its form has it.
std::string ChatTemplate::contentOf(const ChatMessage &message) const {
  std::string valid = repaired(message.content);
  std::string_view content = valid;
  bool isAnswer = message.role == "assistant";
  constexpr std::string_view end = "</think>";
  if (size_t place = content.rfind(end); isAnswer && thoughts != Kept && place != content.npos) {
    content.remove_prefix(place + end.size());
    if (thoughts == DroppedWithLines)
      content.remove_prefix(std::min(content.find_first_not_of('\n'), content.size()));
  }
  bool isTrimmed = isAnswer ? trim != None : trim == Contents && (message.role == "user" || place == Own);
  return std::string(isTrimmed ? trimmed(content) : content);
}

std::string ChatTemplate::render(std::span<const ChatMessage> messages, std::string_view date) const {
  bool hasSystem = !messages.empty() && messages.front().role == "system";
  std::string text = start;
  if (!hasSystem)
    text += filled(withoutSystem, "", date);
  std::string systemText = hasSystem ? filled(system, contentOf(messages.front()), date) : "";
  if (place == Own)
    text += std::exchange(systemText, "");
  auto isUser = [](const ChatMessage &message) { return message.role == "user"; };
  auto others = messages.subspan(hasSystem);
  auto last = std::find_if(others.rbegin(), others.rend(), isUser);
  for (const ChatMessage &message : others) {
    std::string content = contentOf(message);
    if (isUser(message)) {
      if (place == First || &message == &*last)
        content = std::exchange(systemText, "") + content;
      text += filled(user, trim == Joined ? trimmed(content) : content, date);
    } else if (message.role == "assistant") {
      text += filled(answer, content, date);
    } else {
      throw TextError("a message has the role " + shown(repaired(message.role)) +
                      ", expected system for the first message alone, user or assistant");
    }
  }
  return text + assistant;
}

} // namespace attnc::tokenizer
