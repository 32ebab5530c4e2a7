//===- ChatTemplate.h - conversations as texts, by the templates of families of models ----------------------------===//
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attnc::tokenizer {

struct ChatMessage {
  std::string_view role, content; ///< the role is system, user or assistant
};

/// A row of ChatTemplates.def.
struct ChatTemplate {
  const char *name, *mark, *also, *without, *start, *assistant, *system, *user, *answer;
  bool isTrimmed;

  static const char *const names; ///< of all families, separated by ", "
  /// The template of a family; null if there is none.
  static const ChatTemplate *named(std::string_view name);
  /// The template that a `chat_template` of tokenizer_config.json belongs to; null if it is not recognised.
  static const ChatTemplate *recognised(std::string_view source);

  /// The text of a conversation, which ends where the answer of the assistant begins. Throws a TextError if a role is
  /// unknown, if the system's message is not the first, or if the family has no place for it.
  std::string render(std::span<const ChatMessage> messages) const;
};

} // namespace attnc::tokenizer
