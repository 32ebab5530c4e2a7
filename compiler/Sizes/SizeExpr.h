//===- SizeExpr.h - symbolic sizes as polynomials in normal form --------------------------------------------------===//
//
// A size is a number of elements, bytes, chunks or flops that depends on dynamic dimensions. It is an expression over
// symbols, which are numbered from 0; each user says what its symbols stand for (SizeAnalysis.h). The operations are
// sums, differences, products, ceiling and floor divisions by constants, minima and maxima. Symbols and sizes are
// nonnegative 64-bit integers. Sums and products of symbols are stored as polynomials in a normal form, so equal
// polynomials compare equal:
//
//   4 * s0 * s1 + 64      is   SizeExpr(4) * symbol(0) * symbol(1) + 64
//
// A division or extremum that the normal form cannot resolve is an atom, a factor of a term like a symbol:
//
//   ceilDiv(64 * s0 + s1, 64)   =  s0 + ceilDiv(s1, 64)
//   max(4 * s0 * s1, 4 * s0)    =  max(4 * s0 * s1, 4 * s0)       (s1 may be 0)
//   max(4 * s0 + 64, 4 * s0)    =  4 * s0 + 64
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// An immutable size; copies share their terms. No member but parse() and checkedProduct() limits the length of a
/// result (length()). Coefficients saturate at +-(2^63 - 1).
class SizeExpr {
public:
  SizeExpr(int64_t constant = 0);
  static SizeExpr symbol(unsigned number);
  /// Parses the format of text(): decimal numbers, names, + - *, parentheses, the functions max(a, b, ...) and
  /// min(a, b, ...), and the quotients a / c and ceildiv(a, c), rounded down and up, by a positive constant c. The name
  /// names[n] is symbol n; other names are errors. Null if `text` is invalid, nests deeper than 63 parentheses, or has
  /// a product that could be too long (checkedProduct).
  static std::optional<SizeExpr> parse(llvm::StringRef text, llvm::ArrayRef<std::string> names);

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  /// this - other; the caller must ensure that the difference is not negative.
  SizeExpr operator-(const SizeExpr &other) const;
  /// this / divisor rounded up; divisor > 0.
  SizeExpr ceilDiv(int64_t divisor) const;
  /// this / divisor rounded down; divisor > 0.
  SizeExpr floorDiv(int64_t divisor) const;
  /// The smallest multiple of `alignment` (> 0) that is not below this.
  SizeExpr alignTo(int64_t alignment) const { return ceilDiv(alignment) * SizeExpr(alignment); }
  static SizeExpr max(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr min(const SizeExpr &a, const SizeExpr &b);

  SizeExpr &operator+=(const SizeExpr &other) { return *this = *this + other; }
  SizeExpr &operator*=(const SizeExpr &other) { return *this = *this * other; }

  bool operator==(const SizeExpr &other) const; ///< equality of normal forms; different forms may have equal values
  bool isConstant() const;                      ///< true if the normal form contains no symbol
  int64_t constant() const;                     ///< the value; requires isConstant()
  /// True if no term of the normal form of this - other has a negative coefficient. Then this >= other for all
  /// nonnegative symbols. False means that there is no proof.
  bool isAtLeast(const SizeExpr &other) const;

  /// The value for symbol n = values[n]; saturates at the largest int64_t. Here and in the next three functions, every
  /// symbol of the expression needs an element of `values`.
  int64_t evaluate(llvm::ArrayRef<int64_t> values) const;
  /// The expression with symbol n replaced by values[n].
  SizeExpr substitute(llvm::ArrayRef<SizeExpr> values) const;
  /// Emits index arithmetic that computes the size, and returns its result; values[n] is the `index` value of symbol n.
  /// An overflow wraps around.
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values) const;
  /// Like materialise(), with checks. `overflow` must be an i1 value on entry; it is replaced by its disjunction with
  /// the condition that a sum or a product exceeds 2^63 - 1. After an overflow, the returned value is undefined.
  mlir::Value materialiseChecked(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values,
                                 mlir::Value &overflow) const;
  /// Returns text such as "4*batch*seq + 64"; symbol n is names[n], or "s<n>" if n >= names.size().
  std::string text(llvm::ArrayRef<std::string> names) const;
  bool mentions(unsigned symbol) const; ///< whether the normal form contains the symbol
  /// Number of symbols and numbers in the normal form, which determines the time of operations on the expression. The
  /// length grows exponentially if a program squares a size repeatedly. Analyses of user programs therefore treat a
  /// size that is too long as unknown. Sizes of real networks are short.
  int64_t length() const;
  static constexpr int64_t maxLength = 1000;
  bool isTooLong() const { return length() > maxLength; }
  /// a * b; null if a.length() * b.length() exceeds maxLength.
  static std::optional<SizeExpr> checkedProduct(const SizeExpr &a, const SizeExpr &b);
  /// A term of a size: coefficient * symbols[0] * symbols[1] * ... * quotients[0] * ...; a power is a repeated symbol.
  /// A quotient is a size that is divided by a positive number and rounded down.
  struct Product {
    int64_t coefficient;
    llvm::SmallVector<unsigned> symbols;
    std::vector<std::pair<SizeExpr, int64_t>> quotients;
  };
  /// The size as a sum of products of symbols, constants last; empty for the size 0; null if the normal form contains a
  /// division or an extremum. With `quotients`, divisions that round down are factors of products.
  std::optional<std::vector<Product>> products(bool quotients = false) const;
  /// True if a term of the size grows with the product of symbol number `a` and symbol number `b`, as 4 * sa * sb does;
  /// min(s, constant) does not grow. Certificates and `attnc verify` find all-pairs tensors with it.
  bool hasProductOf(unsigned a, unsigned b) const;

private:
  struct Node; ///< the normal form
  std::shared_ptr<const Node> node;
  explicit SizeExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
};

} // namespace attnc
