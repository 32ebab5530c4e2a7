//===- Formulas.h - random scalar expressions of the language -----------------------------------------------------===//
//
// Formulas draws expressions of type f32 and conditions over the indices and tensors in scope, as text of the language.
// RandomProgram.h assembles programs from these.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/Subject.h"
#include <fmt/format.h>
#include <optional>

namespace attnc::programs {

/// A tensor of f32, or of i32 whose elements are subscripts of a dimension.
struct Tensor {
  std::string name;
  std::vector<std::string> dimensions; ///< names or numbers
  std::string below = "";              ///< for i32: the dimension that it subscripts; empty for f32
};

/// An index, and the dimension that it runs over.
struct Index {
  std::string name, dimension;
};

/// The generator and its scope. `depth` below limits the nesting of operations.
class Formulas {
public:
  explicit Formulas(const std::string &seed) : random(seed) {}

  e2e::Random random;          ///< all draws
  std::vector<Tensor> tensors; ///< in scope, in the order of their creation
  std::vector<Index> indices;  ///< in scope
  bool isSmooth = true;        ///< no discontinuous or non-differentiable function was drawn
  /// For a decoder: subscripts of the dimension `seq` are its index or earlier positions, subscripts of `b` its index
  /// alone.
  bool isCausal = false;
  /// Subscripts may be 0 and n - 1 of a dimension n. Entry points then reject n = 0, so sizes are drawn from 1 on.
  bool takesEnds = true;

  /// A random element of `from`, which is not empty.
  template <typename T> const T &pick(const std::vector<T> &from) { return from[random.below(int64_t(from.size()))]; }
  std::string pick(std::initializer_list<const char *> from) {
    return from.begin()[random.below(int64_t(from.size()))];
  }
  bool oneOf(int64_t count) { return random.below(count) == 0; } ///< true with probability 1 / count
  std::string fresh(const std::string &letter) { return letter + std::to_string(next++); } ///< a new name
  /// Adds an index with a new name to the scope, until `leave`.
  Index enter(const std::string &letter, const std::string &dimension);
  /// Removes the last `count` indices from the scope.
  void leave(size_t count = 1) { indices.resize(indices.size() - count); }

  std::string real(int depth);               ///< an expression of type f32; may clear `isSmooth`
  std::string condition(int depth);          ///< an expression of type bool
  std::string element(const Tensor &tensor); ///< a read of one element, with a guard if a subscript may be out of range
  /// Returns a random tensor in scope for which the predicate is true; null if there is none.
  template <typename Predicate> std::optional<Tensor> find(Predicate isWanted) {
    std::vector<Tensor> found;
    for (const Tensor &each : tensors)
      if (isWanted(each))
        found.push_back(each);
    return found.empty() ? std::nullopt : std::optional(pick(found));
  }

private:
  std::string quotient();
  std::string leaf();
  std::string reduction(int depth);
  std::string function(int depth);
  /// Returns a subscript of the dimension, and the condition under which it is in range.
  std::pair<std::string, std::string> subscript(const std::string &dimension);
  std::string shifted(const Index &index, std::string &guard);

  int next = 0; ///< number of the next new name
};

/// Whether a dimension is a number, not a name.
inline bool isNumber(const std::string &dimension) {
  return dimension.find_first_not_of("0123456789") > dimension.size();
}
/// Returns the dimensions in brackets, "[n, 4]"; an empty text for a scalar.
std::string typed(const std::vector<std::string> &dimensions);

} // namespace attnc::programs
