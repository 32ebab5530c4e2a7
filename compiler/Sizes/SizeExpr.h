//===- SizeExpr.h - symbolic sizes as polynomials in normal form ----------------------------------------------===//
//
// A size (elements, bytes, chunks, flops) is an expression over symbols 0..n-1 of sums, products, ceiling divisions,
// floor divisions, minima and maxima, all on nonnegative 64-bit integers. Sums and products of symbols are stored as
// polynomials in a normal form, so equal polynomials compare equal:
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

/// An immutable size; copies share their terms.
class SizeExpr {
public:
  SizeExpr(int64_t constant = 0);
  static SizeExpr symbol(unsigned number);
  /// Parses the format of text(): numbers, names, + - *, parentheses, and ceildiv, floordiv, max, min as functions. A
  /// name must be names[n], for symbol n. Null if `text` is invalid.
  static std::optional<SizeExpr> parse(llvm::StringRef text, llvm::ArrayRef<std::string> names);

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  /// this - other; the caller must ensure that the difference is not negative.
  SizeExpr operator-(const SizeExpr &other) const;
  /// this / divisor rounded up, down; divisor > 0.
  SizeExpr ceilDiv(int64_t divisor) const;
  SizeExpr floorDiv(int64_t divisor) const;
  SizeExpr alignTo(int64_t alignment) const { return ceilDiv(alignment) * SizeExpr(alignment); }
  static SizeExpr max(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr min(const SizeExpr &a, const SizeExpr &b);

  SizeExpr &operator+=(const SizeExpr &other) { return *this = *this + other; }
  SizeExpr &operator*=(const SizeExpr &other) { return *this = *this * other; }

  bool operator==(const SizeExpr &other) const;
  bool isConstant() const;
  int64_t constant() const; ///< requires isConstant()
  /// True if this is proved to be at least `other` for all nonnegative symbols. The proof is incomplete.
  bool isAtLeast(const SizeExpr &other) const;

  /// The value for symbol n = values[n]; saturates at the largest int64_t.
  int64_t evaluate(llvm::ArrayRef<int64_t> values) const;
  /// The expression with symbol n replaced by values[n]; every symbol of the expression needs a value, here and below.
  SizeExpr substitute(llvm::ArrayRef<SizeExpr> values) const;
  /// Emits index arithmetic that computes the size; values[n] is the `index` value of symbol n.
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values) const;
  /// Like materialise(); also sets `overflow` (an i1) to its disjunction with "a sum or product exceeds 2^63 - 1".
  /// After an overflow, the value is undefined.
  mlir::Value materialiseChecked(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values,
                                 mlir::Value &overflow) const;
  /// Returns text such as "4*batch*seq + 64"; symbol n is names[n], or "s<n>" if it has no name.
  std::string text(llvm::ArrayRef<std::string> names) const;
  bool mentions(unsigned symbol) const;
  /// Number of symbols and numbers in the expression, a measure of the time of operations on it. Repeated squares grow
  /// exponentially, so analyses of user programs treat sizes that are too long as unknown; those of networks are short.
  int64_t length() const;
  static constexpr int64_t maxLength = 1000;
  bool isTooLong() const { return length() > maxLength; }
  /// a * b; null if the product could be too long.
  static std::optional<SizeExpr> checkedProduct(const SizeExpr &a, const SizeExpr &b);
  /// coefficient * symbols[0] * symbols[1] * ...
  struct Product {
    int64_t coefficient;
    llvm::SmallVector<unsigned> symbols;
  };
  /// The size as a sum of products of symbols; null if it contains a division or an extremum.
  std::optional<std::vector<Product>> products() const;
  /// True if the size grows at least like the product of the symbols with the numbers `a` and `b`.
  bool hasProductOf(unsigned a, unsigned b) const;

private:
  struct Node; ///< the normal form
  std::shared_ptr<const Node> node;
  explicit SizeExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
};

} // namespace attnc
