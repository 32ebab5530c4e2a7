//===- LinearForms.h - linear forms of integer expressions, for range proofs --------------------------------------===//
//
// The input of the linear arithmetic by which RangeProofs proves that subscripts are in range. An integer expression is
// a linear form: a sum of atoms with coefficients, and a constant. Coefficients and constant are sizes (Dim),
// polynomials over dynamic dimensions. An atom is an integer that is not expanded further: an index, the time step of a
// scan, floor(e/c), a remainder e % c with a dynamic c, a min, max, abs or select, or a value from data such as t[b].
//
// A fact is a linear form F with F >= 0. Facts come from the ranges of indices (i >= 0, and n - 1 - i >= 0 if the
// extent n is known), from conditions around the subscript, and from the properties of floor division, remainders, min,
// max and abs.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/Typed.h"
#include <tuple>
#include <unordered_map>

namespace attnc::check {

/// The linear form of an integer expression: the sum of coefficient * atom over the atoms, plus the constant.
struct Linear {
  std::map<unsigned, Dim> coefficients; ///< by number of the atom; never zero
  Dim constant;

  /// Return the form of a size, and of one atom.
  static Linear number(const Dim &dim) { return {{}, dim}; }
  static Linear single(unsigned atom) { return {{{atom, Dim(1)}}, Dim()}; }

  Linear operator+(const Linear &other) const;
  Linear operator-(const Linear &other) const;
  Linear operator*(const Dim &factor) const;
  bool operator==(const Linear &) const = default;
  bool operator<(const Linear &other) const { ///< an arbitrary total order
    return std::tie(coefficients, constant) < std::tie(other.coefficients, other.constant);
  }
};

/// A condition, of element type Bool, and its truth value: false in the `else` of an `if`.
using Guard = std::pair<typed::ExprRef, bool>;
/// The conditions that hold around an expression, outermost first.
using Guards = std::vector<Guard>;

/// A function that returns true if the extent of an index is known.
using HasExtent = std::function<bool(const typed::Index *)>;

/// Linear forms of the expressions of one proof obligation (RangeProofs.h), their atoms, and the facts about the atoms.
/// The forms are computed on demand; the computation of a form adds the facts about its atoms.
class LinearForms {
public:
  LinearForms(const DimensionBounds &bounds, const HasExtent &hasExtent) : bounds(bounds), hasExtent(hasExtent) {}

  struct Atom {
    /// It depends on values of tensors, or is an expression that is not linear. The condition of a select is ignored.
    bool isData = false;
    std::vector<Linear> branches;  ///< the two alternatives of a min, max or select; empty for other atoms
    typed::Op op = typed::Op::Add; ///< Min, Max or Select if there are branches
    std::vector<size_t> facts;     ///< numbers of the facts in which the atom has a constant coefficient
  };

  /// Returns the form of an integer expression, of I32 or Index. An expression that is not linear is one atom; equal
  /// expressions are the same atom.
  Linear of(typed::ExprRef expr);
  /// Adds the facts that follow from a scalar condition and its truth value: a comparison of integers, `not`, a true
  /// conjunction and a false disjunction of them. A true `!=` adds a fact only about a remainder and its least or
  /// greatest value. Other conditions add nothing, such as a true disjunction or a false conjunction.
  void addGuard(const Guard &guard);

  /// Returns the atom with a number of Linear::coefficients.
  const Atom &atom(unsigned number) const { return atoms[number]; }
  const std::vector<Linear> &getFacts() const { return facts; }
  /// A fact about a remainder e % c with a dynamic c requires c >= 1. True if fact number `fact` requires nothing, or
  /// if this is proved for all sizes of the dimensions, or, with `positive`, for all sizes from 1 on.
  bool holds(size_t fact, bool positive) const;
  /// True if an atom of the form has isData.
  bool dependsOnData(const Linear &form) const;

private:
  Linear formOf(typed::ExprRef expr);
  std::optional<Linear> linearOf(typed::ExprRef expr, const typed::Elementwise &node);
  /// Returns the atom with a key, and whether it is new, so that its facts are missing.
  std::pair<Linear, bool> atomFor(const std::string &key, bool isData);
  Linear quotient(typed::ExprRef expr, int64_t divisor); ///< floor(expr / divisor), for a divisor above 0
  Linear choice(typed::ExprRef expr, typed::Op op, typed::ExprRef a, typed::ExprRef b);
  std::optional<Dim> valuesOf(typed::ExprRef expr) const;
  void addUnequal(typed::ExprRef expr, typed::ExprRef other); ///< adds the facts of expr != other
  /// Adds a fact that holds if `condition` >= 0.
  void addFact(Linear fact, const Dim &condition = 0);

  const DimensionBounds &bounds;
  const HasExtent hasExtent;
  std::vector<Atom> atoms;
  std::map<std::string, unsigned> atomNumbers;
  std::unordered_map<typed::ExprRef, Linear> forms;
  std::vector<Linear> facts;
  std::vector<Dim> conditions; ///< of the facts, by number
};

} // namespace attnc::check
