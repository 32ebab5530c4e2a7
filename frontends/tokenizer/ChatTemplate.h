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
  enum Place { Own, First, Last };
  enum Trim { None, Contents, Answers, Joined };
  enum Thoughts { Kept, Dropped, DroppedWithLines };

  const char *name, *mark, *also, *without, *start, *assistant, *withoutSystem, *system;
  Place place; ///< of `system`
  const char *user, *answer;
  Trim trim;
  Thoughts thoughts;

  static const char *const names; ///< of all families, separated by ", "
  /// The template of a family; null if there is none.
  static const ChatTemplate *named(std::string_view name);
  /// The template that a `chat_template` of tokenizer_config.json belongs to; null if it is not recognised.
  static const ChatTemplate *recognised(std::string_view source);

  /// The text of a conversation, which ends where the answer of the assistant begins. `date` is today(), or that of a
  /// test. Throws a TextError if a role is unknown, or if the system's message is not the first.
  std::string render(std::span<const ChatMessage> messages, std::string_view date) const;
  /// The local date, as in "26 Jul 2024".
  static std::string today();

private:
  std::string contentOf(const ChatMessage &message) const;
};

} // namespace attnc::tokenizer
