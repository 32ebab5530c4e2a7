//===- Formula.h - scalar formulas: evaluation and forward-mode differentiation -----------------------------------===//
//
// A formula is a function from scalars to scalars that the oracle evaluates at every point of an iteration space: the
// body of a linalg.generic or tensor.generate, or a region of attn.attend. Formula::read translates such a region once
// into closures over numbered registers, and binds the captured tensors and sizes. evaluate() then runs the closures.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Fault.h"
#include "compiler/Reference/Rounding.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <functional>

namespace attnc::reference {

/// Sparse gradient of a scalar with respect to the elements that it was computed from; absent derivatives are zero.
class Gradient {
public:
  /// The variable of a derivative: an element, as a tensor (Value::getAsOpaquePointer) and the element's row-major
  /// offset; or an argument of the formula, as null and the argument's number.
  using Source = std::pair<const void *, int64_t>;
  using Derivative = std::pair<Source, double>;

  Gradient() = default;
  Gradient(Source source, double derivative) : derivatives{{source, derivative}} {}

  bool empty() const { return derivatives.empty(); }
  auto begin() const { return derivatives.begin(); }
  auto end() const { return derivatives.end(); }
  /// The derivative with respect to `source`; 0 if absent.
  double at(Source source) const;
  /// Adds factor * term to this gradient; each product and sum is rounded by `rounding`. A factor of 0 adds nothing,
  /// even if `term` has a derivative that is infinite or NaN.
  void addScaled(const Gradient &term, double factor, Rounding rounding = Rounding::None);

private:
  llvm::SmallVector<Derivative, 2> derivatives; ///< sorted by source
};

/// The array of each SSA value during interpretation; a scalar is an array of rank 0.
using Environment = llvm::DenseMap<mlir::Value, SharedArray>;

/// Registers of a formula during an evaluation.
struct FormulaFrame {
  std::vector<double> registers;
  llvm::ArrayRef<int64_t> indices = {}; ///< of the loops, for `linalg.index`
  bool differentiates = false;
  std::vector<Gradient> gradients = {}; ///< one for each register, while `differentiates`
};

/// An op of a formula.
struct FormulaStep {
  /// Computes the op's result in the frame's registers and, while the frame differentiates, its gradient.
  std::function<llvm::LogicalResult(FormulaFrame &)> run;
  /// The op as a function from the registers `from` to the register `to`, faster than `run`, for frames that do not
  /// differentiate. Null for ops that have more than three operands, can fail, or are rounded, and for some others,
  /// such as comparisons; `from` and `to` are then 0.
  double (*function)(const double *operands) = nullptr;
  std::array<unsigned, 3> from = {};
  unsigned to = 0;
};

/// The ops of a block, with the numbers of the registers of its arguments and of the values that it yields.
struct FormulaBlock {
  std::vector<unsigned> arguments, yielded;
  std::vector<FormulaStep> steps;
};

/// A translated region. A function that fails has recorded an error in the Fault of read().
class Formula {
public:
  /// Translates a region of one block; fails at an unsupported op, and at a captured value that is not in
  /// `environment`, which has the arrays of captured values. `environment` and `fault` must outlive the formula. Every
  /// floating-point result of arithmetic and every derivative is rounded by `rounding`.
  static llvm::FailureOr<Formula> read(mlir::Region &region, const Environment &environment, Rounding rounding,
                                       Fault &fault);

  /// Returns the values that the region yields, valid until the next evaluation. `arguments` has a value for each block
  /// argument, and `indices` the index of each loop, for `linalg.index`. Fails at an out-of-range tensor.extract or
  /// tensor.dim, or at an integer division by zero. Subscripts -1 and 0 of an empty dimension are no failure, but read
  /// NaN: a guarded subscript is clamped to them.
  llvm::FailureOr<llvm::ArrayRef<double>> evaluate(llvm::ArrayRef<double> arguments,
                                                   llvm::ArrayRef<int64_t> indices = {});
  /// Returns the first result, and its derivatives with respect to every argument and every element loaded from a
  /// floating-point tensor. The partial derivatives of each op are central differences of that op, with an error of
  /// about 1e-9, so the oracle shares no differentiation rule with the compiler. The exceptions are exact: attn.stop
  /// and integer ops (0), arith.maximumf and minimumf (1 for the first operand that equals the result, 0 for the
  /// other), and attn.reduce. The region must not contain linalg.index. Fails like evaluate().
  llvm::FailureOr<std::pair<double, Gradient>> differentiate(llvm::ArrayRef<double> arguments);
  size_t numArguments() const { return body.arguments.size(); }

private:
  Formula(FormulaBlock body, std::vector<double> registers)
      : body(std::move(body)), frame{std::move(registers)}, results(this->body.yielded.size()) {}

  FormulaBlock body;
  FormulaFrame frame;
  std::vector<double> results;
};

} // namespace attnc::reference
