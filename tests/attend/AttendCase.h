//===- AttendCase.h - test case of attention, as a program --------------------------------------------------------===//
//
// A case is an `attend` over the outer indices h (below b) and i (below n) and the key index j (below m), or also g
// (below 3), on tensors of a fixed list:
//
//   q[b, n, 8]  k[b, m, 8]  v[b, m, 5]  w[8, 8]  u[8]  l[8, m]       x, beta[b, n]  y, gate[b, m]  slope[b]  bias[n, m]
//   length[b]: i32, 0 .. m     row[n], column[m]: i32, few numbers     first, last[m]: i32, nested     open[n, m]: bool
//
// Each case becomes two entry points. One has the name of the case and computes its results. The other,
// `<name>_slopes`, computes the gradients of a weighted sum of these results with respect to all inputs. The weights of
// the sum are inputs too; the gradients with respect to them are the results again. Most of the time of a case is spent
// in the compiler, so large tables compile one of the two entry points for each case.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/CompiledModel.h"
#include <string>
#include <vector>

namespace attnc::attend {

/// The parts of an `attend`, as text of the language.
struct AttendCase {
  std::string name;        ///< of the entry point
  std::string score;       ///< "sum(...)" of q and k, for example
  std::string mask = "";   ///< empty: all pairs
  std::string by = "";     ///< empty: softmax
  std::string weight = ""; ///< a formula of w; empty: w
  std::string value = "v[h, j]";
  bool isSmooth = true;                        ///< finite differences approximate its gradient
  std::vector<std::string> yields = {"value"}; ///< its results
  bool hasValues = true, hasSlopes = true;     ///< which of the two entry points exist
  std::string keys = "j < m";                  ///< the key indices
};

/// The sizes of the dimensions in a call.
struct Sizes {
  int64_t b, n, m;
};

/// Changes score and value of a case so that two neighbouring queries (operand "q") or keys ("k" or "v") read the same
/// row of the operand: k[h, j] becomes k[h, j / 2].
void shareRows(AttendCase &each, const std::string &operand);

/// Returns a model file with all cases.
std::string programOf(const std::vector<AttendCase> &cases);

/// Returns combinations of scores, normalisers, masks and weights. Two of three cases have values, the third has
/// slopes, so that both occur with every pair of two parts.
std::vector<AttendCase> tableOfCases();

/// Returns the case of random formulas with this number; equal numbers give equal cases on every machine.
AttendCase randomCase(uint64_t number);

/// The cases, compiled as one model.
class CompiledCases {
public:
  explicit CompiledCases(std::vector<AttendCase> cases);

  /// The compiler's error; empty if there is none. The functions below require that there is none.
  const std::string &message() const;
  /// Calls the entry points of a case, one of those of the constructor, on random inputs. Returns the difference of the
  /// results from the oracle's as text; empty if there is none.
  std::string difference(const AttendCase &each, Sizes sizes) const;
  /// Returns the difference of the oracle's gradients from finite differences as text; empty if there is none. The case
  /// must have slopes.
  std::string differenceFromSlopes(const AttendCase &each, Sizes sizes) const;

private:
  std::string entryDifference(const std::string &name, Sizes sizes) const;
  std::unique_ptr<e2e::CompiledModel> model;
};

} // namespace attnc::attend
