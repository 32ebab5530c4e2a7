//===- GradientProblem.h - an attn.attend_gradient read as its forward op, derivatives and chunks -------------===//
//
// The gradient's formulas are those of its forward op, so the reader makes a copy of the kernel in which an attn.attend
// holds the same regions, and reads that as the forward emitters do (AttendProblem.h). Derivatives are added to the
// copy's formulas, where they are evaluated like any other value.
//
// **Chunks.** A batch dimension h is split among chunks if each result has it as a plain subscript (`h`, or `h / g` for
// a tensor that the g heads of a group share: then a chunk has g batches). Different chunks then add to different
// elements. The other batch dimensions are loops inside the chunk, in order, because their batches add to the same
// elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"
#include <array>
#include <memory>

namespace attnc {

/// A batch dimension. A chunk has `members` consecutive indices of it; 0: all of them.
struct GradientBatchDim {
  unsigned dimension = 0; ///< of the outer dimensions
  int64_t members = 0;
};

/// Subscript `position` of a result is the index of number `batchDim` of GradientProblem::batchDims, or a quotient of
/// it: a chunk adds to `extent` consecutive values of this subscript, and no other chunk to these.
struct OwnedSubscript {
  unsigned batchDim = 0, position = 0;
  int64_t extent = 1;
};

/// The derivatives of a formula y: the value dy / dx for each load x of a tensor whose gradient is requested, and the
/// value dy / dr for each sum r (attn.reduce add) with such a load in its term, with the scope of the term.
struct GradientScope {
  struct Leaf {
    mlir::tensor::ExtractOp extract; ///< x
    mlir::Value partial;             ///< dy / dx
    unsigned result = 0;             ///< number of the kernel's result with the gradient of the tensor
  };
  struct Sum {
    mlir::attn::ReduceOp op;             ///< r
    mlir::Value partial;                 ///< dy / dr
    std::unique_ptr<GradientScope> term; ///< the derivatives of one term of r
  };
  std::vector<Leaf> leaves;
  std::vector<Sum> sums;
  bool isEmpty() const { return leaves.empty() && sums.empty(); }
};

struct GradientProblem {
  mlir::OwningOpRef<mlir::func::FuncOp> copy; ///< of the kernel; all values below are in it
  AttendProblem attend;                       ///< the forward op
  /// Tensors, by attn::Statistic: the cotangents of the forward op's results, and the results that the forward pass
  /// saved; null if there is none.
  std::array<mlir::Value, std::size(mlir::attn::statisticInfos)> cotangents, saved;
  /// The order of dimensions of the value and its cotangent, as in attn.attend; null for outer, then value indices.
  std::optional<llvm::SmallVector<int64_t>> valueLayout;
  GradientScope sink;                            ///< empty without a sink, or if no gradient of its operands is wanted
  llvm::SmallVector<GradientBatchDim> batchDims; ///< one for each of AttendProblem::batchDims, in their order
  llvm::SmallVector<llvm::SmallVector<OwnedSubscript>> owned; ///< [result of the kernel]

  mlir::Value cotangentOf(mlir::attn::Statistic statistic) const { return cotangents[static_cast<size_t>(statistic)]; }
  mlir::Value savedOf(mlir::attn::Statistic statistic) const { return saved[static_cast<size_t>(statistic)]; }
};

/// The parts that the readers of both algorithms, tiles and pairs, have in common. Each member that returns a Verdict
/// fails with the reason if the kernel has another structure, or an op has no known derivative.
class GradientReader {
protected:
  GradientReader(mlir::func::FuncOp kernel, GradientProblem &problem) : kernel(kernel), problem(problem) {}

  /// Makes the copy of the kernel, and finds its only attn.attend_gradient, cotangents, saved tensors and results.
  Verdict readCopy();
  /// Moves the regions of this op to an attn.attend beside it, and reads that. Loads of tensors whose gradients are
  /// wanted are copied into the reductions that use them.
  Verdict readForward();
  /// The derivatives of the sink, if there is one.
  Verdict readSink();
  /// Creates the derivatives of a region's formula in it, and describes them in `scope`; `ofFirstArgument`, if given,
  /// becomes the derivative by the region's first argument, null if it is 0.
  Verdict readScope(mlir::Region &region, GradientScope &scope, mlir::Value *ofFirstArgument = nullptr);
  /// Sets batchDims and owned from `leaves`; called last.
  void readChunks();

  /// The kernel's result that is the gradient of `tensor`, if requested.
  std::optional<unsigned> resultOf(mlir::Value tensor) const;
  /// Number `number` of the outer indices and, after these, key indices, as an argument of the region around `extract`.
  mlir::BlockArgument indexOf(mlir::tensor::ExtractOp extract, unsigned number) const;

  mlir::attn::AttendGradientOp gradient;
  llvm::SetVector<mlir::Operation *> leaves; ///< loads of tensors whose gradients are requested

private:
  void addLeaf(mlir::tensor::ExtractOp extract, mlir::Value partial, GradientScope &scope);
  Verdict addSum(mlir::attn::ReduceOp op, mlir::Value partial, GradientScope &scope);
  void readStatistics();
  llvm::SmallVector<llvm::SmallVector<mlir::tensor::ExtractOp>> extractsOfResults();
  int64_t divisorOf(mlir::tensor::ExtractOp extract, unsigned position, unsigned dimension) const;
  std::optional<std::pair<unsigned, int64_t>> subscriptOf(llvm::ArrayRef<mlir::tensor::ExtractOp> extracts,
                                                          unsigned dimension) const;

  mlir::func::FuncOp kernel;
  GradientProblem &problem;
  llvm::DenseMap<mlir::Value, unsigned> results; ///< of the kernel, by the tensor whose gradient they hold
};

} // namespace attnc
