//===- Question.h - interface of an interestingness test ----------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace attnc::reduce {

class Question {
public:
  virtual ~Question() = default;
  /// Returns the next candidate; null after the last one.
  using Texts = std::function<std::optional<std::string>()>;
  /// The number of the first interesting text, independent of the order in which tests end. Later texts may have been
  /// requested.
  virtual std::optional<size_t> first(const Texts &texts) = 0;
};

} // namespace attnc::reduce
