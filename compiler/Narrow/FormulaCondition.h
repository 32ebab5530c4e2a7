//===- FormulaCondition.h - condition numbers of a formula --------------------------------------------------------===//
//
// By how much does a formula amplify the rounding of an element t that it reads? With an error e of its result in units
// of the roundoff (Perturbed.h), the relative condition number at t is
//
//   e(t) / max(|f(t)|, s)      s: the largest result where |t| <= 1, or in all of t's range where that is bounded
//
// so that a result near zero counts by the size of its neighbours: silu at -20, a logarithm near 1. The largest one is
// taken over pieces of t's range, eight a power of two, in interval arithmetic; pieces with a step in them are halved
// down to the rounding of t. Other elements are about one half where they are data, and anything in their range where
// they are made of positions and constants; comparisons without t are taken to hold, then not to.
//
//   sin t, |t| <= 4095     4095         1 / (1 + exp(-t))     0.3        exp t               88: behind it is inf
//   t - m                  1            floor(t)              256        t > 0 ? 1 : 0        256
//   i - j, positions up to 4095         4095: a difference of positions may be 1, so it counts as that at least
//   t[i] - t[i - 1]        infinite: two elements of one tensor may be alike
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Perturbed.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace attnc {

/// What is known of the elements of a tensor.
struct ElementFacts {
  Enclosure range;
  bool isExact = false;    ///< of positions, sizes and constants alone
  bool isIntegral = false; ///< whole numbers
};

struct Condition {
  double factor = 0;        ///< largest relative condition number; 0 where the result does not depend on the element
  bool isUnbounded = false; ///< it grows with the size of the element, of which nothing is known
  std::string cause;        ///< the operation that makes it large: "`sin`"
  /// Whether the last bits of the element decide, as of a subscript, so that the factor means nothing.
  bool isUndecided() const { return factor > 0x1p180; }
  /// Keeps the worse one; whether that changed anything.
  bool raise(const Condition &other);
};

/// A block of scalar operations: the body of a linalg.generic, or a region of attention.
class Formula {
public:
  /// What is outside: `elements` of tensors that the formula reads, `positions` of indices that it does not compute.
  Formula(mlir::Block &block, const StorageFormat &format,
          llvm::function_ref<ElementFacts(mlir::Value tensor)> elements,
          llvm::function_ref<Enclosure(mlir::Value index)> positions);

  /// An argument of the block that is an element of `tensor`.
  void bind(mlir::BlockArgument argument, mlir::Value tensor);
  /// An argument that is a number of its own, such as what a reduction has so far.
  void bind(mlir::BlockArgument argument, double typical, const ElementFacts &facts);

  /// An element that the formula reads.
  struct Load {
    mlir::Value number, tensor;
    mlir::Value term; ///< of the innermost attn.reduce that adds and reads it; null where none does
    bool isSummed() const { return bool(term); }
  };
  llvm::ArrayRef<Load> loads() const { return elements; }

  enum class Finish { None, Exponential, Choice };
  struct Conditions {
    std::vector<Condition> results; ///< of the block's terminator
    Condition term;                 ///< of the load's term before it is summed; 0 where the load has none
  };
  /// `finish` is applied to each result: its exponential is taken, as softmax does, or the largest is chosen.
  Conditions conditions(const Load &load, Finish finish = Finish::None);
  /// What is known of the results.
  std::vector<ElementFacts> results();

private:
  struct Sample {
    double magnitude = 0, error = 0; ///< of one value over one piece
    bool isFinite = true;
  };
  struct Piece {
    Enclosure range;
    llvm::DenseMap<mlir::Value, Sample> samples;
    llvm::SmallVector<Sample> finished; ///< the results, then the load's term
  };

  void findLoads(mlir::Block &block, mlir::Value term);
  Perturbed elementOf(mlir::Value number, mlir::Value tensor);
  Perturbed operand(mlir::Value value);
  Perturbed evaluate(mlir::Operation *op);
  Perturbed evaluateReduce(mlir::Operation *op);
  void evaluate(mlir::Block &body);
  void noteCancellation(mlir::Operation *op, const Perturbed &result);
  std::vector<Piece> samplePieces(const Load &load, Finish finish);
  Piece samplePiece(const Load &load, Finish finish);
  static Sample sampled(const Perturbed &value);
  Sample sampleValue(mlir::Value value, Finish finish);
  bool isDifference(mlir::Operation *op) const;
  Perturbed decided(Perturbed truth) const;
  std::string causeOf(const Load &load, double factor, Finish finish);
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
  bool isRange = false;      ///< all elements by their whole range
  bool chosen = false;       ///< what truths are that the perturbed element has no part in
  bool keepsSamples = false; ///< of values in the formula, and not only of its results
  Load perturbed;
  Enclosure range;       ///< of the perturbed element's tensor
  Enclosure part;        ///< of it, the piece
  bool areAlike = false; ///< all elements of that tensor are in this piece, and differences of two of them 0
  bool hasStep = false;
  std::pair<double, mlir::Operation *> cancellation; ///< largest of positions
};

} // namespace attnc
