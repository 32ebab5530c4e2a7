//===- AttendCase.h - one attention as a program -----------------------------------------------------------------===//
//
// A case is an `attend` by its parts, over indices h (of b), i (of n) and j (of m), and tensors of a fixed list:
//
//   q[b, n, 8]  k[b, m, 8]  v[b, m, 5]  w[8, 8]  u[8]  l[8, m]       x, beta[b, n]  y, gate[b, m]  slope[b]  bias[n, m]
//   length[b]: i32, 0 .. m     row[n], column[m]: i32, few numbers     first, last[m]: i32, nested     open[n, m]: bool
//
// Each case becomes an entry point of its name that computes it, and one named `<name>_slopes` with the gradients of
// the sum of its results, each times a given tensor: those along that tensor are the results again. Most of the time
// that a case takes is the compiler's, so large tables have one of the two for each case.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/CompiledModel.h"
#include <string>
#include <vector>

namespace attnc::attend {

struct AttendCase {
  std::string name;
  std::string score;
  std::string mask = "";   ///< empty: every pair
  std::string by = "";     ///< empty: softmax
  std::string weight = ""; ///< of w; empty: w
  std::string value = "v[h, j]";
  bool isSmooth = true; ///< its gradient is what finite differences say
  std::vector<std::string> yields = {"value"};
  bool hasValues = true, hasSlopes = true; ///< which of the two entry points there are
};

struct Sizes {
  int64_t b, n, m;
};

/// A model file with all cases.
std::string programOf(const std::vector<AttendCase> &cases);

/// Scores, normalisers, masks and weights of the family, combined. Of every three cases two have values and one has
/// slopes, such that either has every pair of two parts.
std::vector<AttendCase> tableOfCases();

/// A case drawn from random formulas; the same for the same number.
AttendCase randomCase(uint64_t number);

/// The cases, compiled as one model.
class CompiledCases {
public:
  explicit CompiledCases(std::vector<AttendCase> cases);

  /// Why it did not compile, or nothing.
  const std::string &message() const;
  /// How values and gradients of a case differ from the oracle's, or nothing.
  std::string difference(const AttendCase &each, Sizes sizes) const;
  /// How the oracle's gradients differ from finite differences, or nothing; of a case that has slopes.
  std::string differenceFromSlopes(const AttendCase &each, Sizes sizes) const;

private:
  std::string entryDifference(const std::string &name, Sizes sizes) const;
  std::unique_ptr<e2e::CompiledModel> model;
};

} // namespace attnc::attend
