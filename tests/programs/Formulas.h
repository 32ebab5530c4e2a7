//===- Formulas.h - random scalar expressions of the language -----------------------------------------------------===//
//
// Numbers and conditions over the indices and tensors in scope.
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
  std::vector<std::string> dimensions;
  std::string below = ""; ///< for i32: the dimension that it subscripts
};

/// An index, and the dimension that it runs over.
struct Index {
  std::string name, dimension;
};

class Formulas {
public:
  explicit Formulas(const std::string &seed) : random(seed) {}

  e2e::Random random;
  std::vector<Tensor> tensors; ///< in scope, in the order of their creation
  std::vector<Index> indices;  ///< in scope
  bool isSmooth = true;        ///< no discontinuous or non-differentiable function was drawn
  /// For a decoder: subscripts of the dimension `seq` are its index or earlier positions, subscripts of `b` its index
  /// alone.
  bool isCausal = false;
  /// Subscripts may be 0 and n - 1 of a dimension n. Entry points then reject n = 0, so sizes are drawn from 1 on.
  bool takesEnds = true;

  template <typename T> const T &pick(const std::vector<T> &from) { return from[random.below(int64_t(from.size()))]; }
  std::string pick(std::initializer_list<const char *> from) {
    return from.begin()[random.below(int64_t(from.size()))];
  }
  bool oneOf(int64_t count) { return random.below(count) == 0; }
  std::string fresh(const std::string &letter) { return letter + std::to_string(next++); }
  /// Adds an index with a new name to the scope, until `leave`.
  Index enter(const std::string &letter, const std::string &dimension);
  void leave(size_t count = 1) { indices.resize(indices.size() - count); }

  std::string real(int depth);
  std::string condition(int depth);
  std::string element(const Tensor &tensor);
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

  int next = 0;
};

inline bool isNumber(const std::string &dimension) {
  return dimension.find_first_not_of("0123456789") > dimension.size();
}
/// Returns "[n, 4]", or an empty text for a scalar.
std::string typed(const std::vector<std::string> &dimensions);

} // namespace attnc::programs
