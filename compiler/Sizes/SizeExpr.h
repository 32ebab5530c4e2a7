//===- SizeExpr.h - sizes as functions of the dimensions ------------------------------------------------------===//
//
// A size (elements, bytes, chunks, flops) is an expression over symbols 0..n-1 with the operations that sizes need:
// sum, product, ceiling division, floor division, minimum and maximum, all on non-negative 64-bit integers. Sums and
// products of symbols are kept as polynomials in a normal form, so equal sizes compare equal:
//
//   4 * s0 * s1 + 64      is   SizeExpr(4) * symbol(0) * symbol(1) + 64
//
// A division or an extremum that the normal form cannot resolve is one more factor of the polynomial, an atom:
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

class SizeExpr {
public:
  SizeExpr(int64_t constant = 0);
  static SizeExpr symbol(unsigned number);
  /// Reads what text() writes, with the operators + - * and parentheses; nothing where `text` is something else.
  static std::optional<SizeExpr> parse(llvm::StringRef text, llvm::ArrayRef<std::string> names);

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  /// this - other; the caller knows that the difference is not negative.
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
  /// Is this at least `other` wherever the symbols are not negative? "No" may also mean "not seen".
  bool isAtLeast(const SizeExpr &other) const;

  /// The value where symbol n is values[n]; saturates at the largest int64_t on overflow.
  int64_t evaluate(llvm::ArrayRef<int64_t> values) const;
  /// The expression with symbol n replaced by values[n].
  SizeExpr substitute(llvm::ArrayRef<SizeExpr> values) const;
  /// Index arithmetic that computes it; values[n] is an `index` for symbol n.
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values) const;
  /// The same, and or-s into `overflow` (an i1) whether any sum or product passed 2^63 - 1. Where it did, the value
  /// means nothing.
  mlir::Value materialiseChecked(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> values,
                                 mlir::Value &overflow) const;
  /// As a person writes it, such as "4*batch*seq + 64"; symbol n is names[n], or "s<n>" where there is none.
  std::string text(llvm::ArrayRef<std::string> names) const;
  bool mentions(unsigned symbol) const;
  /// How many symbols and numbers it is written with: what work on it takes. A square of a square of ... grows without
  /// end, so who computes what a program says gives up on long ones.
  int64_t length() const;
  /// coefficient * symbols[0] * symbols[1] * ...
  struct Product {
    int64_t coefficient;
    llvm::SmallVector<unsigned> symbols;
  };
  /// The size as a sum of products of symbols; nothing where it holds a division or an extremum.
  std::optional<std::vector<Product>> products() const;
  /// The highest power in which the product of `a` and `b` appears is at least one: is it of order a x b?
  bool hasProductOf(unsigned a, unsigned b) const;

private:
  struct Node; ///< the normal form
  std::shared_ptr<const Node> node;
  explicit SizeExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
};

} // namespace attnc
