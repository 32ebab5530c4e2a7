//===- Question.h - interface of an interestingness test ----------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace attnc::reduce {

/// Decides which candidates are interesting.
class Question {
public:
  virtual ~Question() = default;
  /// Returns the next candidate; null after the last one.
  using Texts = std::function<std::optional<std::string>()>;
  /// The number, from 0, of the first interesting text among `texts`, independent of the order in which tests end; null
  /// if there is none, or if no more tests can run. Texts after it may have been requested from `texts`, too.
  virtual std::optional<size_t> first(const Texts &texts) = 0;
};

} // namespace attnc::reduce
