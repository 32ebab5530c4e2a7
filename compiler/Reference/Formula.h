//===- Formula.h - a region on scalars ---------------------------------------------------------------------------===//
//
// The body of a `linalg.generic`, of `tensor.generate` and each region of `attn.attend` is a formula: scalars in,
// scalars out, evaluated for every point of an iteration space. It is read once into a list of steps over numbered
// registers, bound to the tensors and sizes that it captures, and then evaluated point by point.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Fault.h"
#include "compiler/Reference/Rounding.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace attnc::reference {

/// Partial derivatives of a scalar by the elements that it was computed from; those that are not named are zero.
class Gradient {
public:
  /// The tensor (null: the formula's arguments) and the row-major place (the number of the argument).
  using Source = std::pair<const void *, int64_t>;
  using Derivative = std::pair<Source, double>;

  Gradient() = default;
  Gradient(Source source, double derivative) : derivatives{{source, derivative}} {}

  bool empty() const { return derivatives.empty(); }
  auto begin() const { return derivatives.begin(); }
  auto end() const { return derivatives.end(); }
  double at(Source source) const;
  /// Rounds products and sums.
  void addScaled(const Gradient &term, double factor, Rounding rounding = Rounding::None);

private:
  llvm::SmallVector<Derivative, 2> derivatives; ///< in the order of their sources
};

/// What each value of a function is while it is interpreted; a scalar is an array of rank 0.
using Environment = llvm::DenseMap<mlir::Value, SharedArray>;

class Formula {
public:
  /// Reads a region of one block. `environment` and `fault` outlive the formula. Each real number is rounded, and each
  /// derivative.
  static llvm::FailureOr<Formula> read(mlir::Region &region, const Environment &environment, Rounding rounding,
                                       Fault &fault);

  /// Evaluates at the point `indices` (what `linalg.index` gives) with values for the block arguments; the yielded
  /// values stay valid until the next evaluation.
  llvm::FailureOr<llvm::ArrayRef<double>> evaluate(llvm::ArrayRef<double> arguments,
                                                   llvm::ArrayRef<int64_t> indices = {});
  /// The value at the same point, and its derivatives by every argument and every element that is loaded from f32
  /// tensors (named by `Value::getAsOpaquePointer`). Each op's partial derivatives are central differences of the op
  /// alone, good to about 1e-9: no rule of differentiation is shared with the compiler.
  llvm::FailureOr<std::pair<double, Gradient>> differentiate(llvm::ArrayRef<double> arguments);
  size_t numArguments() const { return arguments.size(); }

private:
  friend class FormulaReader;
  struct Frame {
    std::vector<double> registers;
    llvm::ArrayRef<int64_t> indices;
    bool differentiates = false;
    std::vector<Gradient> gradients; ///< of the registers, while differentiating
  };
  using Step = std::function<llvm::LogicalResult(Frame &)>;

  Frame frame;
  std::vector<Step> steps;
  std::vector<unsigned> arguments, yielded; ///< registers
  std::vector<double> results;
};

} // namespace attnc::reference
