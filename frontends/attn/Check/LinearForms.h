//===- LinearForms.h - linear forms of subscripts, with facts about their atoms -----------------------------------===//
//
// Atoms are indices, floor(e/c), and values from data such as t[b]. Facts F >= 0 come from the ranges of indices, from
// conditions, and from the properties of floor division, remainders, min, max and abs.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/Typed.h"
#include <tuple>
#include <unordered_map>

namespace attnc::check {

/// The linear form of an integer expression: coefficients * atoms + constant.
struct Linear {
  std::map<unsigned, Dim> coefficients; ///< by number of the atom; never zero
  Dim constant;

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

/// A condition and its truth value.
using Guard = std::pair<typed::ExprRef, bool>;
/// The conditions that hold around an expression.
using Guards = std::vector<Guard>;

/// True if the extent of an index is known.
using HasExtent = std::function<bool(const typed::Index *)>;

/// The forms of the expressions of one obligation.
class LinearForms {
public:
  LinearForms(const DimensionBounds &bounds, const HasExtent &hasExtent) : bounds(bounds), hasExtent(hasExtent) {}

  struct Atom {
    bool isData = false;           ///< it depends on values of tensors
    std::vector<Linear> branches;  ///< alternatives of a min, max or select
    typed::Op op = typed::Op::Add; ///< the op of the branches
    std::vector<size_t> facts;     ///< facts in which the atom has a constant coefficient
  };

  Linear of(typed::ExprRef expr);
  /// Adds the facts that follow from a condition.
  void addGuard(const Guard &guard);

  const Atom &atom(unsigned number) const { return atoms[number]; }
  const std::vector<Linear> &getFacts() const { return facts; }
  /// True if an atom of the form depends on values of tensors.
  bool dependsOnData(const Linear &form) const;

private:
  Linear formOf(typed::ExprRef expr);
  std::optional<Linear> linearOf(typed::ExprRef expr, const typed::Elementwise &node);
  /// Returns the atom of an expression, and whether it is new, so that its facts are missing.
  std::pair<Linear, bool> atomFor(typed::ExprRef expr, bool isData);
  Linear quotient(typed::ExprRef expr, const Linear &dividend, int64_t divisor);
  Linear choice(typed::ExprRef expr, typed::Op op, typed::ExprRef a, typed::ExprRef b);
  void addFact(Linear fact);

  const DimensionBounds &bounds;
  const HasExtent hasExtent;
  std::vector<Atom> atoms;
  std::map<std::string, unsigned> atomNumbers;
  std::unordered_map<typed::ExprRef, Linear> forms;
  std::vector<Linear> facts;
};

} // namespace attnc::check
