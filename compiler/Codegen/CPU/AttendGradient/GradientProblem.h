//===- GradientProblem.h - the common part of a parsed attn.attend_gradient: derivatives and chunks ---------------===//
//
// An attn.attend_gradient has the regions (formulas) of its forward op, an attn.attend. The reader therefore makes a
// copy of the kernel in which an attn.attend has the same regions, and reads this op as the forward emitters do
// (AttendProblem.h). It adds derivatives to the copy's formulas, where they are evaluated like any other value. The two
// algorithms of the gradient have readers and problems that derive from the structs below: AttendGradientProblem.h
// (tiles) and PairwiseGradientProblem.h (pairs).
//
// **Chunks.** The batch dimensions of an attention number its batches. A batch dimension h is split among chunks if
// each result has a subscript `h` or `h / g`, the same in all its loads, with one constant g for all results. The
// latter belongs to a tensor that the g heads of a group share; a chunk then has g batches along h. Different chunks
// thus add to different elements. The other batch dimensions are loops inside the chunk, in order, because their
// batches add to the same elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"
#include <array>
#include <memory>

namespace attnc {

/// A batch dimension. A chunk has `members` consecutive indices of it (the last chunk may have fewer); 0: all of them.
struct GradientBatchDim {
  unsigned dimension = 0; ///< its number among the outer dimensions
  int64_t members = 0;
};

/// A subscript of a result by which chunks divide it. Subscript number `position` is the index of entry `batchDim` of
/// GradientProblem::batchDims, or a quotient of the index. A chunk adds to `extent` consecutive values of this
/// subscript, and no other chunk adds to them.
struct OwnedSubscript {
  unsigned batchDim = 0, position = 0;
  int64_t extent = 1;
};

/// The derivatives of a formula y. `leaves` has dy / dx for each load x of a tensor whose gradient is a result of the
/// kernel. `sums` has dy / dr for each sum r (attn.reduce add) with such a load in its term, and the derivatives of the
/// term. All values are in the region of y. A leaf or sum whose derivative is 0 is absent.
struct GradientScope {
  struct Leaf {
    mlir::tensor::ExtractOp extract; ///< x
    mlir::Value partial;             ///< dy / dx
    unsigned result = 0;             ///< the number of the kernel's result that is the gradient of the tensor
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

/// The data that both algorithms read from a kernel.
struct GradientProblem {
  mlir::OwningOpRef<mlir::func::FuncOp> copy; ///< the copy of the kernel; all ops and values below are in it
  AttendProblem attend;                       ///< the forward op
  /// Tensors, by attn::Statistic: the cotangents of the forward op's results, and the results that the forward pass
  /// saved. Null for a statistic without one.
  std::array<mlir::Value, std::size(mlir::attn::statisticInfos)> cotangents, saved;
  /// The order of dimensions of the value and its cotangent, as in attn.attend; null: outer dimensions, then value
  /// dimensions.
  std::optional<llvm::SmallVector<int64_t>> valueLayout;
  GradientScope sink; ///< derivatives of the sink; empty without a sink, or if no gradient of its operands is a result
  llvm::SmallVector<GradientBatchDim> batchDims; ///< one for each of AttendProblem::batchDims, in their order
  llvm::SmallVector<llvm::SmallVector<OwnedSubscript>> owned; ///< [result of the kernel]: its divided subscripts

  mlir::Value cotangentOf(mlir::attn::Statistic statistic) const { return cotangents[static_cast<size_t>(statistic)]; }
  mlir::Value savedOf(mlir::attn::Statistic statistic) const { return saved[static_cast<size_t>(statistic)]; }
};

/// The base class of the readers of both algorithms. A derived reader calls readCopy(), readForward(), then readScope()
/// and readSink(), and last readChunks(). A member that returns a Verdict fails with the reason if the kernel has
/// another structure, if an op has no known derivative, or if a reduction other than a sum reads a tensor whose
/// gradient is a result, or the region's first argument (readScope).
class GradientReader {
protected:
  GradientReader(mlir::func::FuncOp kernel, GradientProblem &problem) : kernel(kernel), problem(problem) {}

  /// Makes the copy of the kernel. Sets `gradient` to the attn.attend_gradient in it, of which there must be one, and
  /// reads the cotangents, saved tensors and results.
  Verdict readCopy();
  /// Moves the regions of `gradient` to a new attn.attend beside it, and reads this into problem.attend. Values
  /// that depend on loads of tensors whose gradients are results are copied into the reductions that use them.
  Verdict readForward();
  /// Sets problem.sink, if the op has a sink.
  Verdict readSink();
  /// Creates the derivatives of the formula of `region` in this region, and describes them in `scope`. If
  /// `ofFirstArgument` is not null, sets it to the derivative by the region's first argument, or to null if this is 0.
  Verdict readScope(mlir::Region &region, GradientScope &scope, mlir::Value *ofFirstArgument = nullptr);
  /// Sets problem.batchDims and problem.owned from `leaves`. Called last.
  void readChunks();

  /// The number of the kernel's result that is the gradient of `tensor`; null if no result is.
  std::optional<unsigned> resultOf(mlir::Value tensor) const;
  /// The index with this number, as an argument of the region of the attend that contains `extract`. Numbers count the
  /// outer indices and then the key indices.
  mlir::BlockArgument indexOf(mlir::tensor::ExtractOp extract, unsigned number) const;

  mlir::attn::AttendGradientOp gradient;
  llvm::SetVector<mlir::Operation *> leaves; ///< loads of tensors whose gradients are results

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
