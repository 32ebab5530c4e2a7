//===- AttendCase.h - test case of attention, as a program --------------------------------------------------------===//
//
// A case is an `attend` over indices h (of b), i (of n) and j (of m), or also g (of 3), and tensors of a fixed list:
//
//   q[b, n, 8]  k[b, m, 8]  v[b, m, 5]  w[8, 8]  u[8]  l[8, m]       x, beta[b, n]  y, gate[b, m]  slope[b]  bias[n, m]
//   length[b]: i32, 0 .. m     row[n], column[m]: i32, few numbers     first, last[m]: i32, nested     open[n, m]: bool
//
// Each case becomes two entry points: one with its name that computes it, and `<name>_slopes`, which computes gradients
// of a weighted sum of its results with respect to all inputs; the gradients with respect to the given factors of that
// sum are the results again. Most of the time of a case is spent in the compiler, so large tables compile one of the
// two for each case.
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
  std::string mask = "";   ///< empty: all pairs
  std::string by = "";     ///< empty: softmax
  std::string weight = ""; ///< a formula of w; empty: w
  std::string value = "v[h, j]";
  bool isSmooth = true; ///< finite differences approximate its gradient
  std::vector<std::string> yields = {"value"};
  bool hasValues = true, hasSlopes = true; ///< the entry points that exist
  std::string keys = "j < m";              ///< the key indices
};

struct Sizes {
  int64_t b, n, m;
};

/// Lets two neighbouring rows or keys read the same row of an operand, "q", "k" or "v": k[h, j] becomes k[h, j / 2].
void shareRows(AttendCase &each, const std::string &operand);

/// Returns a model file with all cases.
std::string programOf(const std::vector<AttendCase> &cases);

/// Returns combinations of scores, normalisers, masks and weights. Two of three cases have values, the third has
/// slopes, so that both occur with every pair of two parts.
std::vector<AttendCase> tableOfCases();

/// Returns a case of random formulas, equal for equal numbers.
AttendCase randomCase(uint64_t number);

/// The cases, compiled as one model.
class CompiledCases {
public:
  explicit CompiledCases(std::vector<AttendCase> cases);

  /// The compiler's error; empty if there is none.
  const std::string &message() const;
  /// Returns the difference of the values and gradients of a case from the oracle's; empty if there is none.
  std::string difference(const AttendCase &each, Sizes sizes) const;
  /// Returns the difference of the oracle's gradients from finite differences; empty if there is none. The case must
  /// have slopes.
  std::string differenceFromSlopes(const AttendCase &each, Sizes sizes) const;

private:
  std::string entryDifference(const std::string &name, Sizes sizes) const;
  std::unique_ptr<e2e::CompiledModel> model;
};

} // namespace attnc::attend
