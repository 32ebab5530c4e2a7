//===- KernelCondition.h - condition numbers of a kernel's results ------------------------------------------------===//
//
// The analysis derives the effect, on each result of a kernel, of rounding the elements of one argument. Condition
// numbers of formulas (FormulaCondition.h) multiply along a path of operations. In a sum of products, the rounding
// errors of an operand average out among many terms, and the other operand is rounded as well. Past one sum therefore
// only unbounded effects count, such as the sine of a product; past two sums none do. Two kinds of operands are
// exceptions, whose effects count through a sum:
//
//   operands of terms that amplify more than the limit       the relative error of the sum is as large
//   operands that depend on positions and constants alone    they are exact, unlike data, and their range is known
//
//   sum_k x[i, k] w[k, j]      x, w: 1, past a sum
//   sum_k x[i, k] cos(a[k])    x: 1, past a sum            a: 4095, if |a| <= 4095
//   cos(sum_k p[i, k] f[k])    p: 4095, if it is exact and the sum is at most 4095
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Narrow/FormulaCondition.h"
#include "dialects/Attn/Attn.h"
#include <functional>

namespace attnc {

/// Largest relative error of a result that the rounding of one tensor may cause.
inline constexpr double maxRelativeError = 0x1p-5;
/// The limit of condition numbers: the one at which rounding to `format` causes that error.
inline double maxCondition(const StorageFormat &format) { return maxRelativeError / format.roundoff; }

/// The effect of the rounding of a tensor on another one. Without an effect, direct.factor is 0 and isBehindSum false.
struct Influence {
  Condition direct;         ///< through formulas, and through sums in which errors do not average out
  bool isBehindSum = false; ///< true if there is also an effect through a sum in which errors average out
  Condition behindSum;      ///< the unbounded effects past that sum
};

/// Facts about a tensor that a kernel reads.
struct TensorFacts {
  ElementFacts elements;
  llvm::SmallVector<double> extents; ///< upper bounds of its extents, by dimension
};

/// Assumed for an unbounded size: longer than any sequence.
inline constexpr double unboundedSize = 0x1p24;

/// Condition numbers of one kernel.
class KernelConditions {
public:
  /// `arguments` has facts about each argument of `kernel`; for an `index` argument, the range of the facts is that of
  /// the index. `format` is the type to which elements are rounded.
  KernelConditions(mlir::func::FuncOp kernel, llvm::ArrayRef<TensorFacts> arguments, const StorageFormat &format);
  KernelConditions(const KernelConditions &) = delete;
  KernelConditions &operator=(const KernelConditions &) = delete;

  /// Facts about each result.
  std::vector<ElementFacts> results();
  /// The influence of argument number `argument`, an f32 tensor, on each result. There is no effect if its elements
  /// depend on positions and constants alone and are integers that `format` stores exactly. The effect of an op other
  /// than linalg.generic, attention, scatters and data movement is undecided.
  std::vector<Influence> influenceOf(unsigned argument);

private:
  ElementFacts factsOf(mlir::Value tensor);
  double extentOf(mlir::Value tensor, int64_t dim);
  Enclosure positionOf(mlir::Value index);
  double loopExtent(mlir::linalg::LinalgOp op, unsigned loop);
  std::optional<Enclosure> loopPosition(mlir::Value index);
  Formula formulaOf(mlir::Block &block) { return Formula(block, format, readFacts, readPositions); }
  void bindGeneric(Formula &formula, mlir::linalg::GenericOp op);

  void deriveFacts(mlir::Operation *op);
  void deriveFacts(mlir::linalg::GenericOp op);
  void deriveFacts(mlir::attn::AttendOp op);

  void propagateInfluence(mlir::Operation *op);
  template <typename Visit> void forInfluencedLoads(const Formula &formula, Visit visit);
  const Formula::Conditions &conditionsOf(Formula &formula, const Formula::Load &load,
                                          Formula::Finish finish = Formula::Finish::None);
  void propagateInfluence(mlir::linalg::GenericOp op);
  void propagateInfluence(mlir::attn::AttendOp op);
  void propagateInfluence(mlir::attn::ScatterAddOp op);
  void add(mlir::Value result, const Influence &source, const Condition &condition, const Condition *term = nullptr);

  mlir::func::FuncOp kernel;
  llvm::SmallVector<TensorFacts> arguments;
  StorageFormat format;
  std::function<ElementFacts(mlir::Value)> readFacts;
  std::function<Enclosure(mlir::Value)> readPositions;
  llvm::DenseMap<mlir::Value, ElementFacts> facts;
  /// Conditions by Load::number, which is a value in one formula and so always has the same Finish. They do not depend
  /// on the argument under consideration.
  llvm::DenseMap<mlir::Value, std::unique_ptr<Formula::Conditions>> ofLoads;
  llvm::DenseMap<mlir::Value, Influence> influences; ///< of the argument under consideration
  bool isExact = false;                              ///< whether that depends on positions and constants alone
};

} // namespace attnc
