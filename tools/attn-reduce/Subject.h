//===- Subject.h - language-specific part of the reduction -------------------------------------------------------===//
//
// A Subject gives the search the transformations of a language, their possible changes of one text (`Changes`), and the
// size of a text. There are two languages: model files and modules in MLIR.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attnc::reduce {

/// Size of a text, in lexicographic order of the members; only changes to a smaller size are accepted.
struct Size {
  int64_t rough = 0;     ///< 1 if the text is not in the canonical form of its language
  int64_t parts = 0;     ///< words of a model; ops, operands and attributes of a module
  int64_t magnitude = 0; ///< sum over its numbers
  friend auto operator<=>(const Size &, const Size &) = default;
};

/// The possible changes of a text by one transformation, numbered from 0; outer nodes come before inner ones.
class Changes {
public:
  virtual ~Changes() = default;
  virtual size_t count() const = 0;
  /// The text with the changes `chosen` (ascending numbers); null if the text can't be interesting.
  virtual std::optional<std::string> apply(std::span<const size_t> chosen) const = 0;
};

/// A kind of change that makes a text smaller.
struct Transformation {
  std::string name;
  bool inGroups; ///< the search tries groups of changes first; otherwise single changes only
  /// Returns the changes that are possible in `text`; not null.
  std::function<std::unique_ptr<Changes>(const std::string &text)> find;
};

/// A language of texts that can be reduced.
class Subject {
public:
  virtual ~Subject() = default;
  virtual Size sizeOf(const std::string &text) const = 0;
  /// The name of Size::parts in messages.
  virtual const char *partsName() const = 0;
  /// The transformations, from coarse to fine.
  virtual std::span<const Transformation> transformations() const = 0;
};

} // namespace attnc::reduce
