//===- KernelCondition.h - condition numbers of a kernel's results ------------------------------------------------===//
//
// The effect of rounding one argument's elements on each result of a kernel. Condition numbers of formulas multiply
// along a path of operations. In a sum of products, the rounding of an operand averages out among many terms, and the
// other operand is rounded as well: past one sum only unbounded effects count, such as the sine of a product; past two
// sums none do. Two kinds of operands are exceptions:
//
//   in terms that amplify more than the limit       the relative error of the sum is as large
//   dependent on positions and constants alone      they are exact, unlike data, and their range is known
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
/// The condition number that causes it.
inline double maxCondition(const StorageFormat &format) { return maxRelativeError / format.roundoff; }

/// The effect of the rounding of a tensor on another one. Without an effect, direct.factor is 0 and isBehindSum false.
struct Influence {
  Condition direct;         ///< through formulas, and through sums that do not average it out
  bool isBehindSum = false; ///< whether it also has an effect through one sum that averages it out
  Condition behindSum;      ///< past one sum: unbounded effects
};

/// Facts about a tensor that a kernel reads.
struct TensorFacts {
  ElementFacts elements;
  llvm::SmallVector<double> extents; ///< upper bounds
};

/// Assumed for an unbounded size: longer than any sequence.
inline constexpr double unboundedSize = 0x1p24;

/// Condition numbers of one kernel.
class KernelConditions {
public:
  /// `arguments` are facts about each argument; for an `index` argument, the range of the facts is that of the index.
  KernelConditions(mlir::func::FuncOp kernel, llvm::ArrayRef<TensorFacts> arguments, const StorageFormat &format);
  KernelConditions(const KernelConditions &) = delete;
  KernelConditions &operator=(const KernelConditions &) = delete;

  /// Facts about each result.
  std::vector<ElementFacts> results();
  /// The influence of an argument on each result; none if its elements are integers that `format` stores exactly.
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
  llvm::DenseMap<mlir::Value, Influence> influences; ///< of the argument under consideration
  bool isExact = false;                              ///< whether that depends on positions and constants alone
};

} // namespace attnc
