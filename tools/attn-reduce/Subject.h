//===- Subject.h - a text that is to become smaller --------------------------------------------------------------===//
//
// What the search knows of a language: in which ways its texts can be made smaller (`Transformation`), at which places
// of one text (`Changes`), and how large a text is. A model file and a module in MLIR are the two languages.
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

/// How much there is to read; a change is made only where it gives less. Compared from the first to the last.
struct Size {
  int64_t rough = 0;     ///< 1 where the text is not in its language's canonical form
  int64_t parts = 0;     ///< words of a model; ops, operands and attributes of a module
  int64_t magnitude = 0; ///< of its numbers
  friend auto operator<=>(const Size &, const Size &) = default;
};

/// The places of a text at which one transformation applies, numbered from 0, outer ones in front of those inside them.
class Changes {
public:
  virtual ~Changes() = default;
  virtual size_t count() const = 0;
  /// The text with the changes of these numbers, which ascend; nothing where that can't be what is looked for.
  virtual std::optional<std::string> apply(std::span<const size_t> chosen) const = 0;
};

/// One way to make a text smaller.
struct Transformation {
  std::string name;
  bool inGroups; ///< many at once are tried first; otherwise one by one
  std::function<std::unique_ptr<Changes>(const std::string &text)> find;
};

class Subject {
public:
  virtual ~Subject() = default;
  virtual Size sizeOf(const std::string &text) const = 0;
  /// What parts of a text are called.
  virtual const char *partsName() const = 0;
  /// From coarse to fine.
  virtual std::span<const Transformation> transformations() const = 0;
};

} // namespace attnc::reduce
