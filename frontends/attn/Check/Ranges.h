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

/// The linear form of an integer expression: coefficients * atoms + constant.
struct Linear {
  std::map<unsigned, Dim> coefficients; ///< by number of the atom; never zero
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
  unsigned position;        ///< of the index among its indices
  Dim extent;               ///< the size of that dimension
  Guards guards;            ///< the conditions around the subscript
  SourceRange range;        ///< of the index in the source
  SourceRange baseRange;    ///< of the tensor in the source
};

/// The reason why an index respects one bound.
enum class Side {
  Proved,  ///< for all values of the dimensions and indices
  Clamped, ///< under the conditions around it, or if dimensions are at least 1; Elements clamps the index to the bound
  Runtime, ///< not proved, but the index is computed from data: it is checked at run time
  Failed   ///< not proved: an error
};

/// The decision of an obligation: 0 <= index, and index <= extent - 1.
struct Verdict {
  Side lower = Side::Proved, upper = Side::Proved;
};

/// The obligations of a program, and the sizes of the dimensions of the entry point that is being checked.
class Ranges {
public:
  explicit Ranges(Builder &build) : build(build) {}

  void add(Obligation obligation) { obligations.push_back(std::move(obligation)); }
  /// Returns the number of obligations so far; `decide` takes those that are added afterwards.
  size_t mark() const { return obligations.size(); }
  /// Decides and removes the obligations since `mark`, except those with an index whose extent is not yet known, which
  /// remain. Calls `failed` for each with a Failed side. May raise `minimum` of dimensions.
  void decide(size_t mark, const std::function<void(const Obligation &, const Verdict &)> &failed);
  /// Returns the verdict of a position of a Subscript; Proved on both sides if it had no obligation.
  Verdict verdictOf(typed::ExprRef subscript, unsigned position) const;

  /// Declares a dynamic dimension of the current entry point, with the minimum 0.
  void addDimension(const std::string &name) { minima[name] = 0; }
  /// Returns the least size, 0 or 1, of a declared dimension for which all subscripts decided so far are in range.
  int64_t minimum(const std::string &name) const { return minima.at(name); }
  /// Sets an upper limit of a dynamic dimension.
  void setMaximum(const std::string &name, int64_t maximum) { maxima[name] = maximum; }
  void clearDimensions() {
    maxima.clear();
    minima.clear();
  }
  /// True if 0 <= dim is proved for all values of the dimensions, up to their maxima; with `positive`, for all values
  /// of at least 1.
  bool isNonNegative(const Dim &dim, bool positive = false) const;
  /// Raises the least sizes of the dimensions that must be at least 1 for all `dims` to be nonnegative. False, without
  /// a change, if some may be negative even then. Reports nothing.
  bool require(const std::vector<Dim> &dims);
  /// True if the extent of an index is known. The owner of the indices (Indices/Bodies.cpp) sets it before `decide`.
  std::function<bool(const typed::Index *)> hasExtent = [](const typed::Index *) { return true; };

private:
  struct Atom {
    bool isData = false;           ///< it depends on values of tensors
    std::vector<Linear> branches;  ///< alternatives of a min, max or select
    typed::Op op = typed::Op::Add; ///< of the branches
    std::vector<size_t> facts;     ///< facts in which the atom has a constant coefficient
  };
  struct Proof {
    bool positive;                       ///< assumes that dimensions are at least 1, except `maybeEmpty`
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

/// Returns a text that identifies an integer expression: expressions with equal texts are equal, such as two reads of
/// the same element of the same tensor. Casts do not appear in it, and large expressions appear by address.
std::string keyOf(typed::ExprRef expr);

} // namespace attnc::check
