//===- Dim.h - symbolic sizes of the front end --------------------------------------------------------------------===//
//
// A Dim is a polynomial over named dynamic dimensions with integer coefficients, in normal form, so equal sizes compare
// equal:
//
//   64                 a constant (the common case)
//   seq                a dynamic dimension
//   2*batch*seq + 1    size of a concatenation or reshape
//
// A Dim may have a label, its name in the program (`head_dim` is 64), for messages. Comparisons ignore labels.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// A size, or an integer of the program.
class Dim {
public:
  /// A product of names, sorted; a power is a repeated name. Empty for the constant term.
  using Monomial = std::vector<std::string>;

  Dim(int64_t constant = 0);
  /// Returns the dynamic dimension with that name, which is its label too.
  static Dim symbol(std::string name);

  /// Operators saturate (isSaturated). Their results have no label.
  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// Returns this / other if the division is exact, as for 3*n / 3 and rows*cols / cols. Null for other divisions, a
  /// divisor of 0, and quotients of more than 64 terms.
  std::optional<Dim> dividedBy(const Dim &other) const;

  bool operator==(const Dim &other) const { return terms == other.terms; }
  bool operator!=(const Dim &other) const { return terms != other.terms; }
  bool operator<(const Dim &other) const { return terms < other.terms; } ///< an arbitrary total order, for maps

  bool isConstant() const;
  int64_t constant() const; ///< requires isConstant()
  bool is(int64_t value) const { return isConstant() && constant() == value; }
  /// True if no coefficient is negative, so that the size is at least 0 for all values of the dimensions.
  bool isPlainlyNonNegative() const;

  /// True if a sum or product exceeded 64 bits or thousands of terms: a coefficient is then INT64_MAX or INT64_MIN.
  bool isSaturated() const;

  /// Coefficients by monomial; zero coefficients are absent.
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  /// Returns the size with each name in `values` replaced by its value; the label is the same.
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

using Shape = std::vector<Dim>;

/// True if a tensor with this dimension, or shape, could be in memory if all dynamic dimensions were 1: at most 2^31 -
/// 1 elements in a dimension and 2^56 in total, so later phases can count in 64 bits.
bool canHaveSize(const Dim &dim);
bool canHaveShape(const Shape &shape);

/// Returns text such as "[batch, seq, 64]".
std::string textOf(const Shape &shape);

} // namespace attnc
