#include "frontends/tokenizer/ChatTemplate.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/JsonEntry.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

namespace attnc::tokenizer {

static constexpr ChatTemplate templates[] = {
#define CHAT_TEMPLATE(...) {__VA_ARGS__},
#include "frontends/tokenizer/ChatTemplates.def"
};

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

/// The form of a message with its content in place of the $.
static std::string filled(std::string_view form, std::string_view content) {
  size_t place = form.find('$');
  return std::string(form.substr(0, place)) + std::string(content) + std::string(form.substr(place + 1));
}

std::string ChatTemplate::render(std::span<const ChatMessage> messages) const {
  std::string text = start, system; // `system` waits for the first message of the user
  for (const ChatMessage &message : messages) {
    std::string valid = repaired(message.content);
    std::string content(isTrimmed ? trimmed(valid) : valid);
    bool isFirst = &message == messages.data();
    if (message.role == "user") {
      text += filled(user, system.empty() ? content : system + "\n\n" + content);
      system.clear();
    } else if (message.role == "assistant") {
      text += filled(answer, content);
    } else if (message.role == "system" && isFirst && *this->system) {
      text += filled(this->system, content);
    } else if (message.role == "system" && isFirst) {
      system = valid;
    } else {
      throw TextError("a message has the role " + shown(repaired(message.role)) +
                      ", expected system for the first message alone, user or assistant");
    }
  }
  return text + assistant;
}

} // namespace attnc::tokenizer
