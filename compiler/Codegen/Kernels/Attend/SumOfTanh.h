//===- SumOfTanh.h - additive scores by exponentials of rows and keys ----------------------------------------===//
//
// The score of additive attention (Bahdanau and others 2014) is a sum over features:
//
//   s(o, k) = sum_f c[f] tanh(a[o, f] + b[k, f])
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

/// A sum over features of this form.
struct SumOfTanh {
  /// A value times factors, or divided by them.
  struct Product {
    mlir::Value value; ///< null: 1
    llvm::SmallVector<std::pair<mlir::Value, bool>> factors = {};
    bool isNegative = false;

    mlir::Value evaluate(LoopBuilder &loops, RegionVectoriser &at) const;
  };
  llvm::SmallVector<Product> rowTerms, keyTerms; ///< terms that depend on neither are among the keys'
  Product coefficient;

  /// Emits the sum of the terms, a vector, with the bindings of `at`.
  static mlir::Value evaluate(LoopBuilder &loops, RegionVectoriser &at, llvm::ArrayRef<Product> terms);

  enum class Side { Neither, Row, Key, Both };
  /// Reads the sum; `sideOf` returns whether a value of its formula depends on the row or the key. Null if it is not of
  /// this form, or is over several indices.
  static std::optional<SumOfTanh> match(mlir::attn::ReduceOp op, llvm::function_ref<Side(mlir::Value)> sideOf);
};

/// The initial flags of a range test over several vectors (vector<Lxi1>), and its result, an i1.
mlir::Value trueInAllLanes(LoopBuilder &loops);
mlir::Value holdsInAllLanes(LoopBuilder &loops, mlir::Value flags);

/// Arithmetic of additive scores on vectors.
struct SumOfTanhCode {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  LoopBuilder &loops;
  const Target &target;

  static constexpr int64_t featuresAtOnce = 4;
  static constexpr double largestTerm = 43, largestSum = 1024;

  Value power(Value term); ///< exp(2 x)
  /// Lanes where |x| <= `most`; false for NaN.
  Value isWithin(Value x, double most);
  Value denominator(Value rowPower, Value keyPower); ///< t
  /// sum + the sum of c / t for four denominators.
  Value addFractions(Value sum, ValueRange denominators, ValueRange coefficients);
  Values inverses(ValueRange denominators); ///< 1 / t of four

private:
  Value inverse(Value x);
};

} // namespace attnc
