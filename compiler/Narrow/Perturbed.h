//===- Perturbed.h - first-order error propagation through the operations of a formula ----------------------------===//
//
// A number of a formula, where one element t that the formula reads is rounded when it is stored: |dt| <= u |t|, with
// the unit roundoff u of the type it is stored in. `error` is a bound of |dv| / u, to first order:
//
//   v = f(a, b)      error(v) = error(a) max|df/da| + error(b) max|df/db|     over the enclosures of a and b
//
// A step has no derivative. Where the enclosures do not say on which side of it a number lies, its height is an error
// itself: height / u. That is of comparisons that choose, of floor and its like, and of conversions to integers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Enclosure.h"
#include "mlir/IR/Operation.h"

namespace attnc {

/// A type that tensors are stored in.
struct StorageFormat {
  double roundoff;      ///< largest relative error of a number that is rounded to it
  double spacing;       ///< of its subnormal numbers
  double largest;       ///< finite number
  double exactIntegers; ///< up to which all integers are in it

  static StorageFormat of(mlir::FloatType element);
  /// Of rounding a number of the enclosure, in units of `roundoff`.
  double errorOf(const Enclosure &value) const;
};

/// The error of what rounding decides without any measure, such as a subscript: larger than any that has one, and
/// finite as opposed to where a derivative is not.
inline constexpr double undecidedError = 0x1p200;

struct Perturbed {
  Enclosure value;         ///< truths are 0 and 1
  double error = 0;        ///< in units of the roundoff of the format
  bool isExact = false;    ///< a function of positions, sizes and constants alone: of no data
  bool isIntegral = false; ///< a whole number

  static Perturbed number(double value);
  /// Positions or sizes.
  static Perturbed index(const Enclosure &value) { return {value, 0, true, true}; }
  bool isDecided() const { return value.isPoint(); }
};

/// The result of an operation of one result on numbers. What is not known of an operation is taken to be anything.
Perturbed propagate(mlir::Operation *op, llvm::ArrayRef<Perturbed> operands, const StorageFormat &format);

} // namespace attnc
