//===- FormulaCondition.h - condition numbers of a formula --------------------------------------------------------===//
//
// A formula f reads elements of tensors. Its condition number with respect to an element t is the factor by which it
// amplifies the relative error from rounding t when t is stored. Let e(t) be the error of the result in units of the
// roundoff (Perturbed.h). The relative condition number at t is
//
//   e(t) / max(|f(t)|, s)
//
// where s is the largest |f| for |t| <= 1, or over t's range if that is bounded. Because of s, a result near zero is
// compared with the results around it: silu at -20, a logarithm near 1. The condition number of f is the maximum over
// t's range, or its part |t| <= 2^20 if that is unbounded; results that are not finite do not count. It is computed by
// interval arithmetic on pieces of the range, eight for each power of two; pieces that contain a discontinuity are
// halved down to the rounding of t. If no result is finite, the condition number is 1 for data, and undecided if t
// depends on positions and constants alone.
//
// The other elements that f reads are assumed to be about one half if they are data, and anything in their range if
// they depend on positions and constants alone. Comparisons that do not involve t are assumed to be true, then false.
//
//   sin t, |t| <= 4095     4095         1 / (1 + exp(-t))     0.3        exp t               88: beyond that it is inf
//   t - m                  1            floor(t)              256        t > 0 ? 1 : 0        256
//   i - j, positions up to 4095         4095: a difference of positions may be 1, so it counts as at least 1
//   t[i] - t[i - 1]        infinite: two elements of one tensor may be equal
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Perturbed.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace attnc {

/// Facts about all elements of a tensor.
struct ElementFacts {
  Enclosure range;         ///< contains every element
  bool isExact = false;    ///< they depend on positions, sizes and constants alone, not on data
  bool isIntegral = false; ///< they are integers
};

/// The relative condition number of a result with respect to an element.
struct Condition {
  double factor = 0;        ///< largest relative condition number; 0 if the result does not depend on the element
  bool isUnbounded = false; ///< the factor grows with the element, whose range is unknown, or nothing is known about it
  std::string cause;        ///< the operation that amplifies most: "`sin`"; may be empty if the factor is at most 1
  /// True if the result depends on the last bits of the element, as a subscript does. The factor has no meaning then.
  bool isUndecided() const { return factor > 0x1p180; }
  /// Replaces this condition by the one with the larger factor; it is unbounded if either is. Returns true if it
  /// changed.
  bool raise(const Condition &other);
};

/// A block of scalar operations: the body of a linalg.generic, or a region of attention.
class Formula {
public:
  /// `format` is the type to which elements are rounded. `elements` returns the facts of a tensor that the formula
  /// reads, and `positions` the range of an index from outside or of a loop index; both must outlive the formula. The
  /// caller binds the block's arguments that are no indices before it calls conditions() or results().
  Formula(mlir::Block &block, const StorageFormat &format,
          llvm::function_ref<ElementFacts(mlir::Value tensor)> elements,
          llvm::function_ref<Enclosure(mlir::Value index)> positions);

  /// Declares that `argument` of the block is an element of `tensor`.
  void bind(mlir::BlockArgument argument, mlir::Value tensor);
  /// Declares that `argument` is no element, such as the accumulator of a reduction. conditions() assumes the value
  /// `typical` for it, results() the range of `facts`.
  void bind(mlir::BlockArgument argument, double typical, const ElementFacts &facts);

  /// An element that the formula may read: an argument bound to a tensor, or a tensor.extract.
  struct Load {
    mlir::Value number, tensor; ///< the value in the formula, and the tensor that it is an element of
    mlir::Value term;           ///< term of the innermost summing attn.reduce that reads it; null if there is none
    bool isSummed() const { return bool(term); }
  };
  /// The elements that the formula reads; those of arguments are last, in the order of bind().
  llvm::ArrayRef<Load> loads() const { return elements; }

  /// A function of the results that follows the formula: none, the exponential (as in softmax), or the selection of the
  /// largest result (as in hard attention).
  enum class Finish { None, Exponential, Choice };
  struct Conditions {
    std::vector<Condition> results; ///< for the operands of the block's terminator
    Condition term;                 ///< if the load is summed: for its term before the sum; else of factor 0
  };
  /// The condition numbers with respect to `load`, one of loads(), after `finish` is applied to each result.
  Conditions conditions(const Load &load, Finish finish = Finish::None);
  /// Facts about the operands of the block's terminator, if every element may be anything in its range.
  std::vector<ElementFacts> results();

private:
  struct Sample {
    double magnitude = 0, error = 0; ///< of one value over one piece of the range
    bool isFinite = true;
  };
  struct Piece {
    Enclosure range;
    llvm::DenseMap<mlir::Value, Sample> samples;
    llvm::SmallVector<Sample> finished; ///< the results, then the load's term
  };

  void findLoads(mlir::Block &block, mlir::Value term);
  bool findDependent(mlir::Block &body);
  Perturbed elementOf(mlir::Value number, mlir::Value tensor);
  Perturbed operand(mlir::Value value);
  Perturbed evaluate(mlir::Operation *op);
  Perturbed evaluateReduce(mlir::Operation *op);
  void evaluate(mlir::Block &body);
  void noteCancellation(mlir::Operation *op, const Perturbed &result);
  llvm::SmallVector<Piece, 0> samplePieces(const Load &load, Finish finish);
  Piece samplePiece(const Load &load, Finish finish);
  static Sample sampled(const Perturbed &value);
  Sample sampleValue(mlir::Value value, Finish finish);
  bool isDifference(mlir::Operation *op) const;
  Perturbed decided(Perturbed truth);
  std::string causeOf(llvm::ArrayRef<Piece> pieces, double factor, Finish finish);
  bool isKept(mlir::Value value) const { return hasValues && !dependent.contains(value); }
  double scaleOf(llvm::ArrayRef<Piece> pieces, llvm::function_ref<const Sample *(const Piece &)> sample) const;
  Condition conditionOf(llvm::ArrayRef<Piece> pieces, unsigned result);

  mlir::Block &block;
  StorageFormat format;
  llvm::function_ref<ElementFacts(mlir::Value)> factsOf;
  llvm::function_ref<Enclosure(mlir::Value)> positionOf;
  llvm::SmallVector<Load> elements;
  llvm::DenseMap<mlir::Value, mlir::Value> tensors; ///< of block arguments
  struct Number {
    double typical;
    ElementFacts facts;
  };
  llvm::DenseMap<mlir::Value, Number> numbers; ///< likewise
  // While a piece is evaluated:
  llvm::DenseMap<mlir::Value, Perturbed> values;
  llvm::DenseSet<mlir::Value> dependent;       ///< the values that may differ between the pieces of a range
  bool hasValues = false;                      ///< the other ones have the values of the piece before
  llvm::DenseMap<mlir::Value, double> typical; ///< values of the unperturbed elements that have been read
  bool usesChoice = false;                     ///< `chosen` decided a comparison
  bool isRange = false;                        ///< evaluate all elements over their whole range
  bool chosen = false;        ///< assumed value of comparisons that do not involve the perturbed element
  bool recordSamples = false; ///< also for values inside of the formula
  Load perturbed;
  Enclosure range;       ///< range of the perturbed element's tensor
  Enclosure part;        ///< the current piece of that range
  bool areAlike = false; ///< all elements of that tensor are in this piece, and their differences may be 0
  bool hasStep = false;
  std::pair<double, mlir::Operation *> cancellation; ///< largest cancellation of positions
};

} // namespace attnc
