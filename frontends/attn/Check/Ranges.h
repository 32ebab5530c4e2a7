//===- Ranges.h - range proofs of subscripts by linear arithmetic -------------------------------------------------===//
//
// A subscript x[.., e, ..] of a dimension of size n is in range if 0 <= e and e <= n - 1 for all values of the indices
// in e, under the conditions around it:
//
//   [s] => if s >= 1 then a[s - 1] else 0        s - 1 >= 0 because s >= 1;  n - 1 - (s - 1) >= 0 because s <= n - 1
//
// The prover decides such goals G >= 0 by linear arithmetic with sizes (polynomials, Dim) as coefficients. Facts F >= 0
// come from the ranges of indices, from conditions, and from the properties of floor division, remainders, min, max and
// abs. The prover subtracts multiples of facts from a goal until it contains no atom:
//
//   atoms       indices, floor(e/c), values from data such as t[b]
//   a goal      rows*cols - 1 - cols*i - j
//   with        i <= rows - 1 (times cols), j <= cols - 1
//   leaves      0 >= 0
//
// The linear form of each expression and the facts of each atom are computed once for a subscript, before the proofs. A
// failed goal is not tried again at the same or a greater depth.
//
// A data-dependent subscript that cannot be proved is checked at run time. A second attempt assumes that each dynamic
// dimension is at least 1. Accesses that depend on this assumption or on a condition are clamped, and the least size of
// the dimension becomes 1, unless the indices of the subscript or a condition on them imply it, as an empty loop reads
// nothing. A subscript without indices is a slice of the tensor, which is computed whatever condition surrounds it
// (SubscriptPositions.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace attnc::check {

/// The linear form: coefficients * atoms + constant.
struct Linear {
  std::map<unsigned, Dim> coefficients; ///< by atom; never zero
  Dim constant;

  Linear operator+(const Linear &other) const;
  Linear operator-(const Linear &other) const;
  Linear operator*(const Dim &factor) const;
  bool operator==(const Linear &) const = default;
  bool operator<(const Linear &other) const { ///< an arbitrary total order
    return std::tie(coefficients, constant) < std::tie(other.coefficients, other.constant);
  }
};

/// A condition and its truth value.
using Guard = std::pair<typed::ExprRef, bool>;
/// The conditions that hold around an expression.
using Guards = std::vector<Guard>;

/// A proof obligation: a subscript of the program that must be in range.
struct Obligation {
  typed::ExprRef subscript; ///< the Subscript
  unsigned position;
  Dim extent;
  Guards guards;
  SourceRange range;     ///< of the index in the source
  SourceRange baseRange; ///< of the tensor in the source
};

/// The reason why an index respects one bound.
enum class Side { Proved, Clamped, Runtime, Failed };

struct Verdict {
  Side lower = Side::Proved, upper = Side::Proved;
};

class Ranges {
public:
  explicit Ranges(Builder &build) : build(build) {}

  void add(Obligation obligation) { obligations.push_back(std::move(obligation)); }
  size_t mark() const { return obligations.size(); }
  /// Decides and removes all obligations since `mark`; calls `failed` for a subscript that is neither proved nor from
  /// data.
  void decide(size_t mark, const std::function<void(const Obligation &, const Verdict &)> &failed);
  /// Returns the verdict of a position of a Subscript; Proved if it had no obligation.
  Verdict verdictOf(typed::ExprRef subscript, unsigned position) const;

  /// Declares a dynamic dimension of the current entry point.
  void addDimension(const std::string &name) { minima[name] = 0; }
  /// Returns the least size of a dimension for which all subscripts are in range: 0 or 1.
  int64_t minimum(const std::string &name) const { return minima.at(name); }
  /// Sets an upper limit of a dynamic dimension.
  void setMaximum(const std::string &name, int64_t maximum) { maxima[name] = maximum; }
  void clearDimensions() {
    maxima.clear();
    minima.clear();
  }
  /// True if 0 <= dim for all values of the dimensions; with `positive`, for all values of at least 1.
  bool isNonNegative(const Dim &dim, bool positive = false) const;
  /// Raises the least sizes of the dimensions that must be at least 1 for all `dims` to be nonnegative. False if some
  /// may be negative even then.
  bool require(const std::vector<Dim> &dims);
  /// True if the extent of an index is known.
  std::function<bool(const typed::Index *)> hasExtent = [](const typed::Index *) { return true; };

private:
  struct Atom {
    bool isData = false;
    std::vector<Linear> branches; ///< alternatives of a min, max or select
    typed::Op op = typed::Op::Add;
    std::vector<size_t> facts; ///< facts in which the atom has a constant coefficient
  };
  struct Proof {
    bool positive;
    size_t facts;                        ///< the number of facts that may be used
    std::map<Linear, unsigned> failed{}; ///< failed goals, by the least depth of a failed attempt
    unsigned steps = 0;
  };

  Linear linear(typed::ExprRef expr);
  Linear formOf(typed::ExprRef expr);
  std::optional<Linear> linearOf(typed::ExprRef expr, const typed::Elementwise &node);
  /// Returns the atom of an expression, and whether it is new, so that its facts are missing.
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
  std::set<std::string> maybeEmpty; ///< dimensions that may be 0 even in the second attempt
  // State of the current obligation:
  std::vector<Atom> atoms;
  std::map<std::string, unsigned> atomNumbers;
  std::unordered_map<typed::ExprRef, Linear> forms;
  std::vector<Linear> facts;
  std::set<std::string> existing; ///< dimensions that are at least 1 if the indices have values
};

/// Returns a text that is equal for equal expressions: the same element of the same tensor.
std::string keyOf(typed::ExprRef expr);

} // namespace attnc::check
