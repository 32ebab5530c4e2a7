//===- Perturbed.h - first-order error propagation through a formula ----------------------------------------------===//
//
// One element t that a formula reads is rounded when it is stored. Its error dt satisfies |dt| <= u |t|, where u is the
// unit roundoff of the storage type. For each value v of the formula, error(v) bounds |dv| / u to first order:
//
//   v = f(a, b)      error(v) = error(a) max|df/da| + error(b) max|df/db|     over the enclosures of a and b
//
// At a discontinuity there is no derivative. If the enclosures contain one, the height of the step, divided by u, is
// the error. Comparisons that select, floor and similar functions, and conversions to integers are treated in this way.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Enclosure.h"
#include "mlir/IR/Operation.h"

namespace attnc {

/// A storage type of tensors.
struct StorageFormat {
  double roundoff;      ///< unit roundoff: largest relative rounding error
  double spacing;       ///< spacing of subnormal numbers
  double largest;       ///< largest finite number
  double exactIntegers; ///< all integers up to this are exact

  /// The format of bf16, f16 or another floating-point type.
  static StorageFormat of(mlir::FloatType element);
  /// The largest error, in units of `roundoff`, of rounding a number of the enclosure to this format.
  double errorOf(const Enclosure &value) const;
};

/// The error of a value that depends on the last bits of t, such as an element at a subscript computed from t. It is
/// larger than any error from a derivative, yet finite: where a derivative is infinite, the error is infinite.
inline constexpr double undecidedError = 0x1p200;

/// A number or boolean of a formula, as the enclosure of its values, and the bound of its error.
struct Perturbed {
  Enclosure value;         ///< of a boolean: false is 0, true is 1
  double error = 0;        ///< error(v), in units of the roundoff of the format; 0 if it does not depend on t
  bool isExact = false;    ///< a function of positions, sizes and constants alone
  bool isIntegral = false; ///< an integer

  /// A constant.
  static Perturbed number(double value);
  /// A position or a size in the range `value`.
  static Perturbed index(const Enclosure &value) { return {value, 0, true, true}; }
  bool isDecided() const { return value.isPoint(); } ///< of a boolean: it is known to be true, or to be false
};

/// The result of `op`, an operation on scalars with one result, for these operands. The result of an unknown operation
/// is unbounded; its error is undecidedError if an operand has an error, otherwise 0.
Perturbed propagate(mlir::Operation *op, llvm::ArrayRef<Perturbed> operands, const StorageFormat &format);

} // namespace attnc
