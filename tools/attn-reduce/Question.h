//===- Question.h - does a text still show what is looked for? ----------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace attnc::reduce {

class Question {
public:
  virtual ~Question() = default;
  /// The next text to ask about, or nothing behind the last one.
  using Texts = std::function<std::optional<std::string>()>;
  /// The number of the first text that shows it, whatever the order in which answers come. Texts behind it may have
  /// been asked for.
  virtual std::optional<size_t> first(const Texts &texts) = 0;
};

} // namespace attnc::reduce
