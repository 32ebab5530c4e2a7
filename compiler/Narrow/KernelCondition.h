//===- KernelCondition.h - condition numbers of a kernel's results ------------------------------------------------===//
//
// How the rounding of one argument's elements shows in each result of a kernel. Condition numbers of formulas multiply
// along a path of operations. A sum of products is as exact as its other operand is stored: behind one, an operand's
// rounding is among many of its kind, and only what nothing bounds still counts, such as the sine of a product. Behind
// two sums nothing does. Two kinds of operands are not hidden so:
//
//   in terms that amplify more than the limit       the sum is off by as much, relative to its size
//   made of positions and constants alone           no data is as inexact, and its range is known
//
//   sum_k x[i, k] w[k, j]      x, w: 1, behind a sum
//   sum_k x[i, k] cos(a[k])    x: 1, behind a sum          a: 4095, where |a| <= 4095
//   cos(sum_k p[i, k] f[k])    p: 4095, where it is exact and the sum is at most 4095
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Narrow/FormulaCondition.h"
#include "dialects/Attn/Attn.h"
#include <functional>

namespace attnc {

/// Largest error, relative to a result's size, that the rounding of one tensor may make.
inline constexpr double largestShareOfError = 0x1p-5;
/// The condition number that makes it.
inline double largestFactor(const StorageFormat &format) { return largestShareOfError / format.roundoff; }

/// How the rounding of a tensor shows in another.
struct Influence {
  Condition direct; ///< by formulas, and by the sums that do not hide it
  bool isBehindSum = false;
  Condition behindSum; ///< of those that are behind one sum, the ones without a bound
};

/// What is known of a tensor that a kernel reads.
struct TensorFacts {
  ElementFacts elements;
  llvm::SmallVector<double> extents; ///< upper bounds
};

/// A size without a bound: longer sequences than there are.
inline constexpr double unboundedSize = 0x1p24;

class KernelConditions {
public:
  /// Of arguments that are an `index`, the elements' range is theirs.
  KernelConditions(mlir::func::FuncOp kernel, llvm::ArrayRef<TensorFacts> arguments, const StorageFormat &format);
  KernelConditions(const KernelConditions &) = delete;
  KernelConditions &operator=(const KernelConditions &) = delete;

  /// What is known of each result.
  std::vector<ElementFacts> results();
  /// On each result.
  std::vector<Influence> influenceOf(unsigned argument);

private:
  ElementFacts factsOf(mlir::Value tensor);
  double extentOf(mlir::Value tensor, int64_t dim);
  Enclosure positionOf(mlir::Value index);
  double loopExtent(mlir::linalg::LinalgOp op, unsigned loop);
  std::optional<Enclosure> loopPosition(mlir::Value index);
  Formula formulaOf(mlir::Block &block) { return Formula(block, format, readFacts, readPositions); }
  void bindGeneric(Formula &formula, mlir::linalg::GenericOp op);

  void learn(mlir::Operation *op);
  void learn(mlir::linalg::GenericOp op);
  void learn(mlir::attn::AttendOp op);

  void spread(mlir::Operation *op);
  template <typename Visit> void forInfluencedLoads(const Formula &formula, Visit visit);
  void spread(mlir::linalg::GenericOp op);
  void spread(mlir::attn::AttendOp op);
  void spread(mlir::attn::ScatterAddOp op);
  void add(mlir::Value result, const Influence &source, const Condition &condition, const Condition *term = nullptr);

  mlir::func::FuncOp kernel;
  llvm::SmallVector<TensorFacts> arguments;
  StorageFormat format;
  std::function<ElementFacts(mlir::Value)> readFacts;
  std::function<Enclosure(mlir::Value)> readPositions;
  llvm::DenseMap<mlir::Value, ElementFacts> facts;
  llvm::DenseMap<mlir::Value, Influence> influences; ///< of the argument that is asked for
  bool isExact = false;                              ///< whether that is made of positions and constants alone
};

} // namespace attnc
