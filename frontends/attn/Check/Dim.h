//===- Dim.h - symbolic sizes of the front end --------------------------------------------------------------------===//
//
// A Dim is a polynomial over named dynamic dimensions with integer coefficients. It is in normal form, so equal
// polynomials compare equal:
//
//   64                 a constant (the common case)
//   seq                a dynamic dimension
//   2*batch*seq + 1    size of a concatenation or reshape
//
// A Dim may have a label for messages: the name of the value in the program, such as `head_dim` for 64. Comparisons
// ignore labels.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// A size, or another integer of the program that the compiler computes with; it may be negative.
class Dim {
public:
  /// A product of names, sorted; a power is a repeated name. Empty for the constant term.
  using Monomial = std::vector<std::string>;

  Dim(int64_t constant = 0);
  /// Returns the dynamic dimension `name`; its label is the name.
  static Dim symbol(std::string name);

  /// Coefficients that would exceed 64 bits saturate (isSaturated). The results have no label.
  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// Returns this / other if the quotient is a polynomial with integer coefficients, as for 3*n / 3 and rows*cols /
  /// cols. Null for other divisions, a divisor of 0, and quotients of more than 64 terms; also for some exact quotients
  /// by a sum, such as (b*c + c) / (b + 1).
  std::optional<Dim> dividedBy(const Dim &other) const;

  bool operator==(const Dim &other) const { return terms == other.terms; }
  bool operator!=(const Dim &other) const { return terms != other.terms; }
  bool operator<(const Dim &other) const { return terms < other.terms; } ///< an arbitrary total order, for maps

  bool isConstant() const;  ///< true if no dynamic dimension occurs
  int64_t constant() const; ///< the value; requires isConstant()
  bool is(int64_t value) const { return isConstant() && constant() == value; }
  /// True if no coefficient is negative. The size is then at least 0 for all sizes of the dimensions.
  bool isPlainlyNonNegative() const;

  /// True if a coefficient is INT64_MAX or INT64_MIN: a sum or product exceeded 64 bits, or a product of two Dims
  /// exceeded 4096 products of terms. A later sum may make the coefficient smaller, so test each result.
  bool isSaturated() const;

  /// Returns the coefficients by monomial; zero coefficients are absent.
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  /// A size a*n + b of one dimension n, with a > 0.
  struct Linear {
    std::string name;       ///< n
    int64_t factor, offset; ///< a, b
  };
  /// Returns the size in this form; null for a constant and for other sizes.
  std::optional<Linear> linear() const;
  /// Returns the size with each dimension in `values` replaced by its value; the label is the same.
  Dim substitute(const std::map<std::string, Dim> &values) const;

  /// Returns text such as "64", "seq", "2*batch*seq + 1".
  std::string text() const;

  const std::string &getLabel() const { return label; } ///< empty: no label
  /// Returns this size with another label.
  Dim labelled(std::string name) const;

private:
  std::map<Monomial, int64_t> terms;
  std::string label;
};

/// The sizes of a tensor, outermost first.
using Shape = std::vector<Dim>;

/// True if this size, or a tensor of this shape, is small enough for later phases to count in 64 bits if all dynamic
/// dimensions are 1: at most 2^31 - 1 elements in a dimension, and 2^56 elements in total. For this test a size is the
/// sum of the absolute values of its coefficients.
bool canHaveSize(const Dim &dim);
bool canHaveShape(const Shape &shape);

/// Returns text such as "[batch, seq, 64]".
std::string textOf(const Shape &shape);

} // namespace attnc
