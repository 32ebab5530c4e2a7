//===- Perturbed.h - first-order error propagation through a formula ----------------------------------------------===//
//
// One element t that the formula reads is rounded when it is stored: |dt| <= u |t|, with the unit roundoff u of its
// storage type. `error` bounds |dv| / u of a value v to first order:
//
//   v = f(a, b)      error(v) = error(a) max|df/da| + error(b) max|df/db|     over the enclosures of a and b
//
// At a discontinuity there is no derivative. If the enclosures contain one, its height is an error: height / u. This
// holds for comparisons that select, for floor and similar functions, and for conversions to integers.
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

  static StorageFormat of(mlir::FloatType element);
  /// Error of rounding a number of the enclosure, in units of `roundoff`.
  double errorOf(const Enclosure &value) const;
};

/// The error of a value that depends on last bits, such as a subscript: larger than any derivative gives, yet finite,
/// unlike the error where a derivative is infinite.
inline constexpr double undecidedError = 0x1p200;

/// A value of a formula, or a boolean of it, and the bound of its error.
struct Perturbed {
  Enclosure value;         ///< booleans are 0 and 1
  double error = 0;        ///< in units of the roundoff of the format
  bool isExact = false;    ///< a function of positions, sizes and constants alone
  bool isIntegral = false; ///< an integer

  /// A constant.
  static Perturbed number(double value);
  /// Positions or sizes.
  static Perturbed index(const Enclosure &value) { return {value, 0, true, true}; }
  bool isDecided() const { return value.isPoint(); } ///< whether a boolean has one value
};

/// Propagates values and errors through an operation of one result. The result of an unknown operation is unbounded; it
/// has the undecidedError if an operand has an error.
Perturbed propagate(mlir::Operation *op, llvm::ArrayRef<Perturbed> operands, const StorageFormat &format);

} // namespace attnc
