//===- AttendGradientProblem.h - an attn.attend_gradient parsed for the tiled algorithm ---------------------------===//
//
// AttendGradientEmitter.cpp reads a kernel into this struct, and Tiled/TiledGradient.h generates its code. The tiled
// algorithm requires:
// - a normaliser with hasTiledGradient() (softmax);
// - a cotangent of the value, and at most one other cotangent, of lse;
// - value and lse saved by the forward pass;
// - no weight region;
// - a score of dot products of two rows of tensors and of additive scores;
// - a value that is a row of a tensor, does not depend on the query, and has its elements last in the value's layout;
// - a known derivative of each op of score and sink;
// - cotangents and saved tensors that are arguments of the kernel.
// All these rows have a constant length. If the gradient of a factor of a dot product, or of the value, is requested,
// different queries or keys must have different rows of its tensor, and no other reduction may read a tensor whose
// gradient is requested. Other gradients are computed pair by pair (PairwiseGradientProblem.h).
//
// A leaf is a variable of the score by which the formula is differentiated. For each leaf x, the reader adds the value
// d score / d x to the score's formula; the code multiplies it with ds, the cotangent of the score. `scaled` is
// PairReduction::scaled, the reduction with its scales. o are outer indices, k key indices and f a feature. A leaf is
//
//   a dot product      scaled = scale sum_f a[o, f] b[k, f]      da += ds dscore/dscaled scale b,  db the same with a
//   an additive score  scaled = scale sum_f c[f] tanh(a[o, f] + b[k, f]): gradients of the operands of a, b and c
//   a term             a tensor.extract of a tensor whose gradient is a result     dx += ds dscore/dx
//
// A gradient is requested if it is a result of the kernel.
//
// **Splits.** `splitsKeys` states that the keys of a chunk (GradientProblem.h) may be split among several chunks. The
// number of splits follows from the sizes at run time; it is one if there are many chunks (PartialSums::splits).
// Operands of rows are the row factors of dot products, the row operands of additive scores, and the operands of sinks.
// Operands that all pairs of a batch share (GradientTanh::hasShared) do not restrict splits: their gradients always
// have partial sums. All other loads whose gradient is requested (key operands, terms, values) are operands of keys.
// Keys may be split if different keys add to different elements of each operand of keys, and no operand of rows shares
// an element with an operand of keys. Different splits add to the same element of an operand of rows: its gradient has
// partial sums (PartialSums.h). The gradient of a sink is added by one split.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

/// A dot product of the score.
struct GradientDot {
  unsigned product = 0;                         ///< number in AttendProblem::products
  mlir::tensor::ExtractOp rowFactor, keyFactor; ///< a, b: consecutive elements for consecutive `feature`
  mlir::BlockArgument feature;                  ///< the index f of the reduction
  int64_t features = 0;                         ///< its extent
  mlir::Value partial;                          ///< d score / d scaled; null if it is 0: both results are then null
  /// The numbers of the kernel's results that are the gradients of the tensors of a and b; null if not requested.
  std::optional<unsigned> rowResult, keyResult;
};

/// An additive score (SumOfTanh.h), as its formulas a, b and c at one feature f.
struct GradientTanh {
  unsigned product = 0;                      ///< number in AttendProblem::products
  mlir::BlockArgument feature;               ///< the index f of the reduction
  int64_t features = 0;                      ///< its extent
  mlir::Value rowTerm, keyTerm, coefficient; ///< a (of rows), b (of keys), c (the same for all pairs of a batch)
  mlir::Value partial;                       ///< d score / d scaled; null if it is 0: all leaves are then empty
  /// The derivatives of a by its operands of rows; of b by its operands of keys; of a and b by operands that are the
  /// same for all pairs of a batch; of c by its operands. Only operands whose gradient is requested have an entry.
  std::vector<GradientScope::Leaf> rowLeaves = {}, keyLeaves = {}, sharedLeaves = {}, coefficientLeaves = {};
  /// Whether the gradient of an operand is requested.
  bool isWanted() const { return !rowLeaves.empty() || !keyLeaves.empty() || hasShared(); }
  /// Whether the gradient of an operand that all pairs of a batch share is requested.
  bool hasShared() const { return !sharedLeaves.empty() || !coefficientLeaves.empty(); }
};

/// Creates rowTerm, keyTerm and coefficient as ops in the body of the product's reduction, and sets these fields,
/// `feature` and `features` of `tanh`. Requires product.tanhs, and a constant number of features.
void createTanhFormulas(const PairReduction &product, GradientTanh &tanh);
/// Differentiates the three formulas of `tanh` and sets its leaves. `uses` computes the index uses of values, and
/// `pairs` are those of all rows and keys (IndexUses). `resultOf` returns the number of the kernel's result that is the
/// gradient of a tensor, or null. Fails with the reason if an op has no known derivative, or if an operand that all
/// pairs share has another derivative for each pair.
Verdict readTanhLeaves(GradientTanh &tanh, IndexUses &uses, uint64_t pairs,
                       llvm::function_ref<std::optional<unsigned>(mlir::Value)> resultOf);

/// A term: a load in the score, outside of reductions, of a tensor whose gradient is requested. A load by which the
/// derivative of the score is 0 is no term.
struct GradientTerm {
  mlir::tensor::ExtractOp extract;
  mlir::Value partial; ///< d score / d element
  unsigned result = 0; ///< number of the kernel's result with the gradient
  /// Whether each pair of a batch has an element of its own, as in a learned bias. This requires that the last
  /// subscript is the only key index, that the others are distinct outer indices with all those of the row, and that no
  /// other load reads the tensor. The batches along the dimensions `sharedBy` (numbers in batchDims) share the
  /// elements. The first of them stores its gradients and the others add theirs, so the elements need not be cleared
  /// (PairTerms.h).
  bool hasElementPerPair = false;
  /// If hasElementPerPair: each subscript, as a number of the outer and then the key indices.
  llvm::SmallVector<unsigned> indices = {};
  llvm::SmallVector<unsigned, 2> sharedBy = {};
};

/// The gradient in this form. Valid after readAttendGradient() has returned yes.
struct AttendGradientProblem : GradientProblem {
  llvm::SmallVector<GradientDot> dots; ///< the products that are dot products, in their order
  std::vector<GradientTanh> tanhs;     ///< the other products; tiles number them after the dots
  llvm::SmallVector<GradientTerm> terms;
  mlir::tensor::ExtractOp value;       ///< the load that is the whole formula of the value
  int64_t values = 0;                  ///< elements of a value vector
  std::optional<unsigned> valueResult; ///< the number of the kernel's result with the gradient of the values, or null

  /// The derivatives of the score by leaves whose gradient is requested, if they depend on a product (any attn.reduce).
  /// They are computed and stored together with the scores.
  llvm::SmallVector<mlir::Value> keptPartials;
  /// Whether the score has one leaf, a dot product, whose derivative d score / d scaled is the same for all pairs of a
  /// batch. Then nd of the rows and the panel Vt of the values are multiplied with it (s in TiledGradient.h), instead
  /// of each pair.
  bool isFolded = false;
  bool splitsKeys = false; ///< whether the keys of a chunk may be split (see above)
};

/// Reads the kernel, which it does not change, into `problem`, which must be new. Fails with the reason if the tiled
/// algorithm does not support the kernel.
Verdict readAttendGradient(mlir::func::FuncOp kernel, AttendGradientProblem &problem);

} // namespace attnc
