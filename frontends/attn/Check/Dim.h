//===- Dim.h - symbolic sizes of the front end --------------------------------------------------------------------===//
//
// A Dim is a polynomial over named dynamic dimensions, and over quotients of polynomials by numbers, with integer
// coefficients. It is in normal form, so equal polynomials compare equal:
//
//   64                 a constant (the common case)
//   seq                a dynamic dimension
//   2*batch*seq + 1    size of a concatenation or reshape
//   (seq + 15) / 16    number of blocks of 16 positions; quotients are rounded down
//
// A Dim may have a label for messages: the name of the value in the program, such as `head_dim` for 64. It may be
// marked as an extent: it was computed from the sizes of tensors, so that a division of it rounds down, whether these
// sizes are constants or not. Comparisons ignore labels and marks.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attnc {

/// A size, or another integer of the program that the compiler computes with; it may be negative.
class Dim {
public:
  struct Quotient;
  /// A dynamic dimension, or a quotient; the text of a quotient is its name.
  struct Factor {
    std::string name;
    std::shared_ptr<const Quotient> quotient; ///< null for a dimension
    bool operator==(const Factor &other) const { return name == other.name; }
    bool operator<(const Factor &other) const { return name < other.name; }
  };
  /// A product of factors, sorted; a power is a repeated factor. Empty for the constant term.
  using Monomial = std::vector<Factor>;

  Dim(int64_t constant = 0);
  /// Returns the dynamic dimension `name`; its label is the name.
  static Dim symbol(std::string name);
  static Dim of(const Factor &factor);

  /// Coefficients that would exceed 64 bits saturate (isSaturated). The results have no label.
  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// Returns this / other if the quotient is a polynomial with integer coefficients, as for 3*n / 3 and rows*cols /
  /// cols. Null for other divisions, a divisor of 0, and quotients of more than 64 terms; also for some exact quotients
  /// by a sum, such as (b*c + c) / (b + 1).
  std::optional<Dim> dividedBy(const Dim &other) const;
  /// Returns this / divisor rounded down, for a divisor above 0. The coefficients in a quotient are below the divisor,
  /// so (16*n + 20) / 16 is n + 1, and (n - 3) / 2 is (n + 1) / 2 - 2. Null if quotients would be nested deeper than
  /// mostNestedQuotients.
  std::optional<Dim> quotient(int64_t divisor) const;
  static constexpr unsigned mostNestedQuotients = 4;

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

  /// Returns the names of the dimensions in this size, also those in quotients.
  std::set<std::string> dimensions() const;
  /// Returns the coefficients by monomial; zero coefficients are absent.
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  /// A size a*n + b of one dimension n, with a > 0.
  struct Linear {
    std::string name;       ///< n
    int64_t factor, offset; ///< a, b
  };
  /// Returns the size in this form; null for a constant and for other sizes.
  std::optional<Linear> linear() const;
  /// Returns the size with each dimension in `values` replaced by its value, which has no quotients; the label is the
  /// same.
  Dim substitute(const std::map<std::string, Dim> &values) const;

  /// Returns text such as "64", "seq", "2*batch*seq + 1", "(seq + 15) / 16", in the syntax of the language.
  std::string text() const;

  const std::string &getLabel() const { return label; } ///< empty: no label
  /// Returns this size with another label.
  Dim labelled(std::string name) const;
  bool isExtent() const { return extent; } ///< computed from the sizes of tensors
  /// Returns this size, marked as an extent.
  Dim asExtent() const;

private:
  unsigned nesting() const; ///< the number of quotients within each other

  std::map<Monomial, int64_t> terms;
  std::string label;
  bool extent = false;
};

/// floor(dividend / divisor). All coefficients of the dividend are positive and below the divisor, so the quotient is
/// not negative; the dividend is no constant.
struct Dim::Quotient {
  Dim dividend;
  int64_t divisor;
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
