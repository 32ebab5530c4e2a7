//===- AttendGradientProblem.h - an attn.attend_gradient read as products, terms and results -----------------===//
//
// The problem of the tiled algorithm (Tiled/TiledGradient.h). It requires a normaliser with hasTiledGradient; a
// cotangent of the value, and at most one other, of lse; value and lse saved by the forward pass; no weight region; a
// score of dot products of two rows of tensors and of additive scores; a value that is a row of a tensor. All these
// rows have a constant length. Other gradients are computed pair by pair (PairwiseGradientProblem.h).
//
// The reader adds derivatives to the score's formula: for each leaf x, the value d score / d x, which is multiplied
// with ds, the cotangent of the score. `scaled` is that of a PairReduction: the reduction with its scales. A leaf is
//
//   a dot product      scaled = scale sum_f a[o, f] b[k, f]      da += ds dscore/dscaled scale b,  db the same with a
//   an additive score  scaled = scale sum_f c[f] tanh(a[o, f] + b[k, f]): gradients of the operands of a, b and c
//   a term             a tensor.extract of a tensor whose gradient is wanted       dx += ds dscore/dx
//
// **Splits.** `splitsKeys` says that the keys of a chunk (GradientProblem.h) may be split; how many splits there are
// follows from the sizes at run time, one if there are many chunks (PartialSums::splits). Operands of rows are row
// factors of dot products, row operands of additive scores, and operands of sinks; all other loads whose gradient is
// wanted (key operands, terms, values) are operands of keys. Keys may be split if different keys add to different
// elements of each operand of keys, and no operand of rows shares an element with an operand of keys. Different splits
// add to the same element of an operand of rows: its gradient has partial sums (PartialSums.h), and that of a sink is
// added by one split.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

struct GradientDot {
  unsigned product = 0;                         ///< number in AttendProblem::products
  mlir::tensor::ExtractOp rowFactor, keyFactor; ///< a, b: consecutive elements for consecutive `feature`
  mlir::BlockArgument feature;                  ///< the index f of the reduction
  int64_t features = 0;                         ///< its extent
  mlir::Value partial;                          ///< d score / d scaled; null if it is 0, and nothing is wanted then
  /// The kernel's results that hold the factors' gradients, if they are wanted.
  std::optional<unsigned> rowResult, keyResult;
};

/// An additive score (SumOfTanh.h), by its formulas a, b and c at one feature f.
struct GradientTanh {
  unsigned product = 0;                      ///< number in AttendProblem::products
  mlir::BlockArgument feature;               ///< the index f of the reduction
  int64_t features = 0;                      ///< its extent
  mlir::Value rowTerm, keyTerm, coefficient; ///< a (of rows), b (of keys), c (the same for all pairs of a batch)
  mlir::Value partial;                       ///< d score / d scaled; null if it is 0
  /// The derivatives of a by its operands of rows, of b by its operands of keys, of a and b by operands that are the
  /// same for all pairs of a batch, and of c by its operands; empty if no gradient is wanted.
  std::vector<GradientScope::Leaf> rowLeaves = {}, keyLeaves = {}, sharedLeaves = {}, coefficientLeaves = {};
  bool isWanted() const { return !rowLeaves.empty() || !keyLeaves.empty() || hasShared(); }
  bool hasShared() const { return !sharedLeaves.empty() || !coefficientLeaves.empty(); }
};

/// Creates rowTerm, keyTerm and coefficient in the body of the product's reduction; sets feature and features as well.
void createTanhFormulas(const PairReduction &product, GradientTanh &tanh);
/// Differentiates the three formulas and sets the leaves. `pairs` are the index uses (IndexUses) of rows and keys;
/// `resultOf` returns the kernel's result that holds the gradient of a tensor, if it is wanted. Fails if an op has no
/// known derivative, or if an operand that all pairs share needs another derivative for each pair.
Verdict readTanhLeaves(GradientTanh &tanh, IndexUses &uses, uint64_t pairs,
                       llvm::function_ref<std::optional<unsigned>(mlir::Value)> resultOf);

/// A load in the score outside of reductions.
struct GradientTerm {
  mlir::tensor::ExtractOp extract;
  mlir::Value partial; ///< d score / d element
  unsigned result = 0; ///< number of the kernel's result with the gradient
  /// Each pair of a batch has an element of its own, and consecutive keys are contiguous, as in a learned bias. The
  /// batches along the dimensions `sharedBy` (numbers in batchDims) share the elements: the first of them stores, the
  /// others add, and the elements of pairs need not be cleared (PairTerms.h).
  bool isOfPairs = false;
  llvm::SmallVector<unsigned> indices = {}; ///< of pairs: its subscripts, as numbers of the outer and key indices
  llvm::SmallVector<unsigned, 2> sharedBy = {};
};

struct AttendGradientProblem : GradientProblem {
  llvm::SmallVector<GradientDot> dots; ///< the products that are dot products, in their order
  std::vector<GradientTanh> tanhs;     ///< the other products; tiles number them after the dots
  llvm::SmallVector<GradientTerm> terms;
  mlir::tensor::ExtractOp value;       ///< the whole formula of the value
  int64_t values = 0;                  ///< elements of a value
  std::optional<unsigned> valueResult; ///< the kernel's result with the gradient of the values, if it is wanted

  /// The derivatives of the score that depend on a product (any attn.reduce): they are stored when scores are computed.
  llvm::SmallVector<mlir::Value> keptPartials;
  /// The score has one leaf, a dot product, whose derivative d score / d scaled is the same for all pairs of a batch:
  /// instead of each pair, nd of the rows and the panel Vt of the values are multiplied with it (s in TiledGradient.h).
  bool isFolded = false;
  bool splitsKeys = false; ///< the keys of a chunk may be split (see above)
};

/// Reads the kernel, which it does not change; fails with the reason if the tiled algorithm does not support it.
Verdict readAttendGradient(mlir::func::FuncOp kernel, AttendGradientProblem &problem);

} // namespace attnc
