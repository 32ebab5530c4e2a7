//===- Question.h - interface of an interestingness test ----------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace attnc::reduce {

/// Tests whether candidates (reduced texts) are interesting: whether they still show the fault.
class Question {
public:
  virtual ~Question() = default;
  /// A generator: each call returns the next candidate, and null after the last one.
  using Texts = std::function<std::optional<std::string>()>;
  /// Tests candidates until one is interesting, possibly several in parallel. Returns the number of the first
  /// interesting candidate in the order of `texts`, counted from 0, whichever test ends first. Null if no candidate is
  /// interesting, or if no more tests can run. Candidates after the returned one may have been taken from `texts`.
  virtual std::optional<size_t> first(const Texts &texts) = 0;
};

} // namespace attnc::reduce
