//===- AttendGradientProblem.h - an attn.attend_gradient read as products, terms and results -------------------===//
//
// The gradient's formulas are those of its forward op, so the reader makes a copy of the kernel in which an attn.attend
// holds the same regions, and reads that as the forward emitters do (AttendProblem.h). To the score it adds the
// derivatives: for each leaf x of the formula, the value d score / d x. A leaf is
//
//   a dot product    `head` of a PairReduction, s = sum_f a[o, f] b[k, f], scaled:   da += ds dhead b,  db += ds dhead
//   a a term           a tensor.extract of a tensor whose gradient is wanted           dx += ds dscore/dx
//
// **Chunks.** A batch dimension is split among chunks where each result has it as a plain subscript (`h`, or `h / g`
// for a tensor that the g heads of a group share: then the chunk has g batches). The other batch dimensions are walked
// inside the chunk, in order, for what they add to meets in the same elements.
//
// **Splits.** Where there are few chunks the keys of each are split too: `splitsKeys` says that what a key adds to is no
// other key's, but for the gradients of the dot products' row factors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendProblem.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc {

struct GradientDot {
  unsigned product = 0;                         ///< of AttendProblem::products
  mlir::tensor::ExtractOp rowFactor, keyFactor; ///< elements move on by one with `feature`
  mlir::BlockArgument feature;
  int64_t features = 0;
  mlir::Value partial; ///< d score / d head
  /// The kernel's results that hold the factors' gradients, if they are wanted.
  std::optional<unsigned> rowResult, keyResult;
};

struct GradientTerm {
  mlir::tensor::ExtractOp extract;
  mlir::Value partial; ///< d score / d element
  unsigned result = 0; ///< of the kernel
};

/// A batch dimension of which a chunk has `members` consecutive indices; 0: all of them.
struct GradientBatchDim {
  unsigned dimension = 0;
  int64_t members = 0;
};

/// Subscript `position` of a result goes with batch dimension number `batchDim` of AttendGradientProblem::batchDims:
/// a chunk owns `extent` elements of it.
struct OwnedSubscript {
  unsigned batchDim = 0, position = 0;
  int64_t extent = 1;
};

struct AttendGradientProblem {
  mlir::OwningOpRef<mlir::func::FuncOp> copy;
  AttendProblem attend;                ///< of the copy
  llvm::SmallVector<GradientDot> dots; ///< one a product
  llvm::SmallVector<GradientTerm> terms;
  mlir::tensor::ExtractOp value; ///< the whole formula of the value
  int64_t values = 0;
  std::optional<unsigned> valueResult;
  mlir::Value valueCotangent, lseCotangent, savedValue, savedLse; ///< tensors; lseCotangent may be null
  std::optional<llvm::SmallVector<int64_t>> valueLayout;
  llvm::SmallVector<GradientBatchDim> batchDims;
  llvm::SmallVector<llvm::SmallVector<OwnedSubscript>> owned; ///< [result of the kernel]

  /// The derivatives of the score that differ with a dot product: they are kept from the pass that computes scores.
  llvm::SmallVector<mlir::Value> keptPartials;
  /// One dot product and nothing else, with the same derivative for all pairs of a batch: it is folded into the rows'
  /// terms and the values' panel.
  bool isFolded = false;
  bool splitsKeys = false;
};

/// Reads the kernel; fails with the reason where the emitter cannot evaluate it.
Verdict readAttendGradient(mlir::func::FuncOp kernel, AttendGradientProblem &problem);

} // namespace attnc
