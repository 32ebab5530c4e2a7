//===- Ranges.h - subscripts proved in range ----------------------------------------------------------------------===//
//
// A subscript x[.., e, ..] of a dimension of size n is in range where 0 <= e and e <= n - 1 for all values of the
// indices in e, under the conditions around it:
//
//   [s] => if s >= 1 then a[s - 1] else 0        s - 1 >= 0 because s >= 1;  n - 1 - (s - 1) >= 0 because s <= n - 1
//
// Such goals G >= 0 are proved by linear arithmetic. Sizes are polynomials (Dim) and serve as coefficients. Facts
// F >= 0 come from the ranges of indices, from conditions, and from what floor division, remainders, min, max and abs
// promise; a goal is reduced by subtracting multiples of facts until no atom is left in it:
//
//   atoms       indices, floor(e/c), values from data such as t[b]
//   a goal      rows*cols - 1 - cols*i - j
//   with        i <= rows - 1 (times cols), j <= cols - 1
//   leaves      0 >= 0
//
// The form of each formula, and what each atom promises, is computed once for a subscript, before anything is proved;
// a goal that could not be reached is not tried again.
//
// What speaks of data is checked at run time where it cannot be proved. A dynamic dimension counts as at least 1 in a
// second attempt, whose accesses are clamped. Such a dimension's least size is 1, unless the indices of the subscript
// or a condition on them say that it is: nothing is read where there is nothing. A subscript without indices is a slice
// of the tensor, which is made whatever condition is around it (SubscriptPositions.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace attnc::check {

/// coefficients * atoms + constant
struct Linear {
  std::map<unsigned, Dim> coefficients; ///< by atom; none is zero
  Dim constant;

  Linear operator+(const Linear &other) const;
  Linear operator-(const Linear &other) const;
  Linear operator*(const Dim &factor) const;
  bool operator==(const Linear &) const = default;
  bool operator<(const Linear &other) const { ///< an arbitrary total order
    return std::tie(coefficients, constant) < std::tie(other.coefficients, other.constant);
  }
};

/// A condition and whether it holds.
using Guard = std::pair<typed::ExprRef, bool>;
/// The conditions around an expression.
using Guards = std::vector<Guard>;

/// One subscript that must be in range, as it stood in the program.
struct Obligation {
  typed::ExprRef subscript; ///< the Subscript
  unsigned position;
  Dim extent;
  Guards guards;
  SourceRange range;     ///< of the index
  SourceRange baseRange; ///< of the tensor
};

/// How one side of an index is kept in range.
enum class Side { Proved, Clamped, Runtime, Failed };

struct Verdict {
  Side lower = Side::Proved, upper = Side::Proved;
};

class Ranges {
public:
  explicit Ranges(Builder &build) : build(build) {}

  void add(Obligation obligation) { obligations.push_back(std::move(obligation)); }
  size_t mark() const { return obligations.size(); }
  /// Decides all obligations since `mark` and forgets them; calls `failed` for those that are neither proved nor data.
  void decide(size_t mark, const std::function<void(const Obligation &, const Verdict &)> &failed);
  /// The verdict of a position of a Subscript; proved where nobody asked.
  Verdict verdictOf(typed::ExprRef subscript, unsigned position) const;

  /// A dynamic dimension of the entry point at hand.
  void addDimension(const std::string &name) { minima[name] = 0; }
  /// The least size of a dimension for which all subscripts are in range: 0 or 1.
  int64_t minimum(const std::string &name) const { return minima.at(name); }
  /// An upper limit for a dynamic dimension.
  void setMaximum(const std::string &name, int64_t maximum) { maxima[name] = maximum; }
  void clearDimensions() {
    maxima.clear();
    minima.clear();
  }
  /// 0 <= dim for all values of the dimensions; with `positive`, where each is at least 1.
  bool isNonNegative(const Dim &dim, bool positive = false) const;
  /// Raises the least sizes of the dimensions that must be at least 1 for `dims` not to be negative. False where these
  /// may be negative even so.
  bool require(const std::vector<Dim> &dims);
  /// Extents of indices that are known.
  std::function<bool(const typed::Index *)> hasExtent = [](const typed::Index *) { return true; };

private:
  struct Atom {
    bool isData = false;
    std::vector<Linear> branches; ///< of a min, max or select
    typed::Op op = typed::Op::Add;
    std::vector<size_t> facts; ///< in which it has a constant coefficient
  };
  struct Proof {
    bool positive;
    size_t facts;                        ///< how many of them count
    std::map<Linear, unsigned> failed{}; ///< goals, by the least depth at which they could not be reached
    unsigned steps = 0;
  };

  Linear linear(typed::ExprRef expr);
  Linear formOf(typed::ExprRef expr);
  std::optional<Linear> linearOf(typed::ExprRef expr, const typed::Elementwise &node);
  /// The atom that stands for a formula, and whether it is new: nothing is known of it yet.
  std::pair<Linear, bool> atomFor(typed::ExprRef expr, bool isData);
  Linear quotient(typed::ExprRef expr, const Linear &dividend, int64_t divisor);
  Linear choice(typed::ExprRef expr, typed::Op op, typed::ExprRef a, typed::ExprRef b);
  void addFact(Linear fact);
  void addGuard(const Guard &guard);
  bool prove(const Linear &goal, Proof &proof, unsigned depth);
  bool proveByAtom(const Linear &goal, Proof &proof, unsigned depth);
  bool proveChoice(const Linear &goal, unsigned atom, const Dim &coefficient, Proof &proof, unsigned depth);
  Side decideSide(const Linear &goal, size_t unguardedFacts);
  bool speaksOfData(const Linear &goal) const;
  Dim shifted(const Dim &dim) const;
  void raiseMinima(const std::function<bool()> &holds);
  void exist(typed::ExprRef index);

  Builder &build;
  std::vector<Obligation> obligations;
  std::map<std::pair<typed::ExprRef, unsigned>, Verdict> verdicts;
  std::map<std::string, int64_t> maxima, minima;
  std::set<std::string> maybeEmpty; ///< dimensions that are not at least 1 even in the second attempt
  // Of the obligation at hand:
  std::vector<Atom> atoms;
  std::map<std::string, unsigned> atomNumbers;
  std::unordered_map<typed::ExprRef, Linear> forms;
  std::vector<Linear> facts;
  std::set<std::string> existing; ///< dimensions that are at least 1 where there is a value of the indices
};

/// A text that is equal for equal formulas: the same element of the same tensor.
std::string keyOf(typed::ExprRef expr);

} // namespace attnc::check
