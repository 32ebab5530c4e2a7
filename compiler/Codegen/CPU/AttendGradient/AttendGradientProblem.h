//===- AttendGradientProblem.h - an attn.attend_gradient read as products, terms and results -----------------===//
//
// The reader adds derivatives to the score's formula: for each leaf x, the value d score / d x. A leaf is
//
//   a dot product    `head` of a PairReduction, s = sum_f a[o, f] b[k, f], scaled:   da += ds dhead b,  db += ds dhead
//   an additive score `head` too, s = sum_f c[f] tanh(a[o, f] + b[k, f]): gradients of the operands of a, b and c
//   a term           a tensor.extract of a tensor whose gradient is wanted           dx += ds dscore/dx
//
// **Splits.** If there are few chunks, the keys of each are split too. `splitsKeys` is set if different keys add to
// different elements, except for the gradients of the dot products' row factors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

struct GradientDot {
  unsigned product = 0;                         ///< of AttendProblem::products
  mlir::tensor::ExtractOp rowFactor, keyFactor; ///< consecutive elements for consecutive `feature`
  mlir::BlockArgument feature;
  int64_t features = 0;
  mlir::Value partial; ///< d score / d head
  /// The kernel's results that hold the factors' gradients, if they are wanted.
  std::optional<unsigned> rowResult, keyResult;
};

/// An additive score. Its formulas depend on features, rows, keys and the batch.
struct GradientTanh {
  unsigned product = 0; ///< of AttendProblem::products
  mlir::BlockArgument feature;
  int64_t features = 0;
  mlir::Value rowTerm, keyTerm, coefficient;
  mlir::Value partial; ///< d score / d head
  /// The derivatives of the formulas by operands of rows and of keys; those of both terms, and of the coefficient, by
  /// operands that are the same for all pairs of a batch.
  std::vector<GradientScope::Leaf> rowLeaves = {}, keyLeaves = {}, sharedLeaves = {}, coefficientLeaves = {};
  bool isWanted() const { return !rowLeaves.empty() || !keyLeaves.empty() || hasShared(); }
  bool hasShared() const { return !sharedLeaves.empty() || !coefficientLeaves.empty(); }
};

/// Adds the formulas to the reduction's body.
void createTanhFormulas(const PairReduction &product, GradientTanh &tanh);
/// Reads the leaves; `pairs` are the uses of rows and keys.
Verdict readTanhLeaves(GradientTanh &tanh, IndexUses &uses, uint64_t pairs,
                       llvm::function_ref<std::optional<unsigned>(mlir::Value)> resultOf);

struct GradientTerm {
  mlir::tensor::ExtractOp extract;
  mlir::Value partial; ///< d score / d element
  unsigned result = 0; ///< of the kernel
  /// Each pair of a batch has an element of its own, and consecutive keys are contiguous, as in a learned bias.
  /// `sharedBy` are the batch dimensions, by number, whose batches share them. Then the first of these batches
  /// stores, and nothing needs to be cleared.
  bool isOfPairs = false;
  llvm::SmallVector<unsigned> indices = {}; ///< its subscripts, as numbers of indices of attention
  llvm::SmallVector<unsigned, 2> sharedBy = {};
};

struct AttendGradientProblem : GradientProblem {
  llvm::SmallVector<GradientDot> dots; ///< one a product
  std::vector<GradientTanh> tanhs;     ///< the other products, numbered after the dots
  llvm::SmallVector<GradientTerm> terms;
  mlir::tensor::ExtractOp value; ///< the whole formula of the value
  int64_t values = 0;
  std::optional<unsigned> valueResult;

  /// The derivatives of the score that depend on a dot product: they are stored when scores are computed.
  llvm::SmallVector<mlir::Value> keptPartials;
  /// One dot product and nothing else, with the same derivative for all pairs of a batch: it is folded into the rows'
  /// terms and the values' panel.
  bool isFolded = false;
  bool splitsKeys = false;
};

/// Reads the kernel; fails with the reason if the emitter cannot evaluate it.
Verdict readAttendGradient(mlir::func::FuncOp kernel, AttendGradientProblem &problem);

} // namespace attnc
