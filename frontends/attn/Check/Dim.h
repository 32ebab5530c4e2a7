//===- Dim.h - sizes of tensors as the front end knows them -------------------------------------------------------===//
//
// A Dim is a polynomial over named dynamic dimensions with integer coefficients, in a normal form, so that equal sizes
// compare equal:
//
//   64                 a constant (the common case)
//   seq                a dynamic dimension
//   2*batch*seq + 1    what concatenations and reshapes make of them
//
// A Dim may carry a label, the name it had in the program (`head_dim` is 64); labels are for messages and take no part
// in comparisons.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

class Dim {
public:
  /// The names of one product, sorted; with repetition for powers. Empty for the constant term.
  using Monomial = std::vector<std::string>;

  Dim(int64_t constant = 0);
  static Dim symbol(std::string name);

  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// this / other where that is exact, as 3*n / 3 and rows*cols / cols are.
  std::optional<Dim> dividedBy(const Dim &other) const;

  bool operator==(const Dim &other) const { return terms == other.terms; }
  bool operator!=(const Dim &other) const { return terms != other.terms; }
  bool operator<(const Dim &other) const { return terms < other.terms; } ///< an arbitrary total order

  bool isConstant() const;
  int64_t constant() const; ///< requires isConstant()
  bool is(int64_t value) const { return isConstant() && constant() == value; }
  /// No coefficient is negative, so neither is any value.
  bool isPlainlyNonNegative() const;

  /// A sum or product left 64 bits on the way, or had thousands of terms: a coefficient is the largest or the smallest
  /// number.
  bool isSaturated() const;

  /// Coefficients by monomial; none is zero.
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  /// The polynomial with each name replaced by its value, for those in `values`.
  Dim substitute(const std::map<std::string, Dim> &values) const;

  /// As a person writes it: "64", "seq", "2*batch*seq + 1".
  std::string text() const;

  const std::string &getLabel() const { return label; }
  Dim labelled(std::string name) const;

private:
  std::map<Monomial, int64_t> terms;
  std::string label;
};

using Shape = std::vector<Dim>;

/// Whether memory could have a tensor's dimension, and the tensor, were all dynamic dimensions 1: at most 2^31 - 1
/// elements in a dimension, and 2^56 in all. Later phases count in 64 bits.
bool canHaveSize(const Dim &dim);
bool canHaveShape(const Shape &shape);

/// "[batch, seq, 64]"
std::string textOf(const Shape &shape);

} // namespace attnc
