//===- Formulas.h - random expressions of the language -----------------------------------------------------------===//
//
// What statements are made of: numbers and conditions over the indices and tensors that are in scope.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/Subject.h"
#include <fmt/format.h>
#include <optional>

namespace attnc::programs {

/// A tensor of f32 by its dimensions; one of i32 whose elements are subscripts of a dimension.
struct Tensor {
  std::string name;
  std::vector<std::string> dimensions;
  std::string below = ""; ///< of i32: the dimension that it subscripts
};

/// An index, and the dimension that it runs over.
struct Index {
  std::string name, dimension;
};

class Formulas {
public:
  explicit Formulas(const std::string &seed) : random(seed) {}

  e2e::Random random;
  std::vector<Tensor> tensors; ///< in scope, the last one made last
  std::vector<Index> indices;  ///< in scope
  bool isSmooth = true;        ///< nothing was drawn that jumps or has a corner
  /// Of a decoder: subscripts of the dimension `seq` are its index or earlier ones, of `b` its index alone.
  bool isCausal = false;
  /// Subscripts may be 0 and n - 1 of a dimension n. Entry points then refuse n = 0, so sizes are drawn from 1 on.
  bool takesEnds = true;

  template <typename T> const T &pick(const std::vector<T> &from) { return from[random.below(int64_t(from.size()))]; }
  std::string pick(std::initializer_list<const char *> from) {
    return from.begin()[random.below(int64_t(from.size()))];
  }
  bool oneOf(int64_t count) { return random.below(count) == 0; }
  std::string fresh(const std::string &letter) { return letter + std::to_string(next++); }
  /// An index with a new name, in scope until `leave`.
  Index enter(const std::string &letter, const std::string &dimension);
  void leave(size_t count = 1) { indices.resize(indices.size() - count); }

  std::string real(int depth);
  std::string condition(int depth);
  std::string element(const Tensor &tensor);
  /// Such a tensor in scope, or nothing.
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
  /// A subscript of the dimension, and under which condition it is in range.
  std::pair<std::string, std::string> subscript(const std::string &dimension);
  std::string shifted(const Index &index, std::string &guard);

  int next = 0;
};

inline bool isNumber(const std::string &dimension) {
  return dimension.find_first_not_of("0123456789") > dimension.size();
}
/// "[n, 4]", or nothing for a number.
std::string typed(const std::vector<std::string> &dimensions);

} // namespace attnc::programs
