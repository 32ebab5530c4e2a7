//===- SumOfTanh.h - additive scores by exponentials of rows and keys ---------------------------------------------===//
//
// The score of additive attention (Bahdanau and others 2014) is a sum over features:
//
//   s(o, k) = sum_f c[f] tanh(a[o, f] + b[k, f])            o: the row (query), k: the key, f: the feature
//
// With A = exp(2a), B = exp(2b) and t = 1 + A B
//
//   tanh(a + b) = 1 - 2 / t        dtanh / d(a + b) = 4 / t (1 - 1 / t)        s = sum_f c[f] - 2 sum_f c[f] / t[f]
//
// so exponentials are computed once a row and once a key, and none for a pair. Four features share one division: with
// t = min(A B + 1, 2^31), so that the product of four does not overflow,
//
//   c0 / t0 + c1 / t1 = (c0 t1 + c1 t0) / (t0 t1)        and again for the two sums
//
// This requires |a|, |b| <= 43, because exp(86) is finite. The score's error is about 2^-23 sum |c|, so that sum has to
// be at most 2^10. In tiles out of these ranges the tanhs are computed one by one.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "compiler/Codegen/Target/Target.h"
#include <optional>

namespace attnc {

/// An attn.reduce of this form: a is the sum of `rowTerms`, b is the sum of `keyTerms`, and c is `coefficient`. Values
/// are of the formula in the kernel's IR.
struct SumOfTanh {
  /// `value`, multiplied or divided by each of `factors`, with the opposite sign if `isNegative`.
  struct Product {
    mlir::Value value;                                            ///< null: 1
    llvm::SmallVector<std::pair<mlir::Value, bool>> factors = {}; ///< (factor; true: divide by it, false: multiply)
    bool isNegative = false;

    /// Emits the product, a vector, with the bindings of `at`.
    mlir::Value evaluate(LoopBuilder &loops, RegionVectoriser &at) const;
  };
  llvm::SmallVector<Product> rowTerms, keyTerms; ///< keyTerms also has the terms without row and key
  Product coefficient;

  /// Emits the sum of `terms` (at least one), a vector, with the bindings of `at`.
  static mlir::Value evaluate(LoopBuilder &loops, RegionVectoriser &at, llvm::ArrayRef<Product> terms);

  /// The side of a pair that a value depends on.
  enum class Side { Neither, Row, Key, Both };
  /// Matches `op`; `sideOf` returns the side of a value of its formula. Null if `op` is not of this form, with terms of
  /// the row and of the key and a coefficient of neither, or if it sums over several indices.
  static std::optional<SumOfTanh> match(mlir::attn::ReduceOp op, llvm::function_ref<Side(mlir::Value)> sideOf);
};

/// For a range test over several vectors: the initial flags, a vector of i1 that is true in all lanes.
mlir::Value trueInAllLanes(LoopBuilder &loops);
/// Its result: an i1, whether all lanes of `flags` are true.
mlir::Value holdsInAllLanes(LoopBuilder &loops, mlir::Value flags);

/// Emits arithmetic of additive scores on vectors of loops.lanes f32 numbers, with the notation above.
struct SumOfTanhCode {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  LoopBuilder &loops;
  const Target &target;

  static constexpr int64_t featuresAtOnce = 4; ///< features that share a division
  /// Limits of the valid range: of |a| and |b|, and of sum |c|. The caller tests them.
  static constexpr double largestTerm = 43, largestSum = 1024;

  Value power(Value term); ///< A or B: exp(2 * term)
  /// Whether |x| <= `most`, in each lane or of a scalar; false for NaN.
  Value isWithin(Value x, double most);
  Value denominator(Value rowPower, Value keyPower); ///< t = min(A B + 1, 2^31)
  /// sum + c0 / t0 + c1 / t1 + c2 / t2 + c3 / t3, for four denominators t and four coefficients c.
  Value addFractions(Value sum, ValueRange denominators, ValueRange coefficients);
  Values inverses(ValueRange denominators); ///< 1 / t for each of four denominators

private:
  Value inverse(Value x);
};

} // namespace attnc
