//===- Subject.h - language-specific part of test-case reduction --------------------------------------------------===//
//
// A Subject is a language: its transformations, their possible changes of one text (`Changes`), and the size of a text.
// There are two: model files (ModelSubject) and MLIR modules (ModuleSubject). `Search` calls them.
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

/// Size of a text, compared lexicographically by its members. The search accepts only changes to a smaller size.
struct Size {
  int64_t rough = 0; ///< 1 if the text is not in the canonical form of its language, as its printer writes it; else 0
  /// Weighted count: of words of a model, or of ops, operands, arguments, results and attributes of a module; 0 for a
  /// module that cannot be parsed.
  int64_t parts = 0;
  /// Sum of the numbers of a model, where 0 and 1 count 0 and a float adds its number of characters; or of the static
  /// sizes in the types of a module. A model that is not canonical adds the length of its text in bytes.
  int64_t magnitude = 0;
  friend auto operator<=>(const Size &, const Size &) = default;
};

/// The possible changes of one text by one transformation, numbered from 0 in the order in which the search tries them.
class Changes {
public:
  virtual ~Changes() = default;
  virtual size_t count() const = 0;
  /// The text with the changes `chosen` (ascending numbers). Null if none of them applies, or if the result is known
  /// not to be interesting, for example because it is invalid.
  virtual std::optional<std::string> apply(std::span<const size_t> chosen) const = 0;
};

/// One way to shrink a text, such as the removal of statements.
struct Transformation {
  std::string name; ///< a phrase for progress messages: "drop statements"
  bool inGroups;    ///< the search tries groups of changes before single changes; otherwise single changes only
  /// Returns the changes that are possible in `text`; not null. The Subject must outlive the result.
  std::function<std::unique_ptr<Changes>(const std::string &text)> find;
};

/// A language of texts that can be reduced.
class Subject {
public:
  virtual ~Subject() = default;
  /// Defined for any text, also one with syntax errors.
  virtual Size sizeOf(const std::string &text) const = 0;
  /// The name of Size::parts in messages.
  virtual const char *partsName() const = 0;
  /// The transformations, from coarse to fine. The Subject owns them.
  virtual std::span<const Transformation> transformations() const = 0;
};

} // namespace attnc::reduce
