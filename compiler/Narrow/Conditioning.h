//===- Conditioning.h - conditioning analysis: which tensors of an entry point may be rounded ---------------------===//
//
// The analysis decides for each f32 tensor of an entry point whether its elements may be rounded to 16 bits. It is a
// data-flow analysis over the calls of kernels. The forward part derives an enclosure of the elements of each tensor,
// and whether they depend on positions and constants alone. The backward part derives D(t), the condition number of all
// later computation with respect to the tensor t: the factor by which it amplifies a relative error of t.
//
//   D(t) = the largest of all K(t, r), and of those products K(t, r) D(r) that are beyond the limit
//
// Here r are the results of the kernels that read t, and K(t, r) is the condition number of r with respect to t
// (KernelCondition.h). Past a sum of products only unbounded effects are propagated. A tensor stays f32 if an effect is
// unbounded, or if D(t) is beyond the limit: the rounding, with unit roundoff u, could change a later value by more
// than 1/32 of it.
//
//   D(t) u <= 2^-5       bf16  u = 2^-8   D(t) <= 8            f16  u = 2^-11   D(t) <= 64
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Narrow/KernelCondition.h"
#include <map>

namespace attnc {

/// The results of the analysis for one entry point and one narrow type.
class Conditioning {
public:
  /// Analyses `entry`, an entry point after fuse. `element` is bf16 or f16.
  Conditioning(mlir::func::FuncOp entry, mlir::FloatType element);

  /// The reason why a tensor of the entry point must stay f32 instead of `element`, as a clause ("`sin` amplifies its
  /// rounding ..."); empty if it may be rounded.
  std::string reasonOf(mlir::Value tensor) const;

private:
  /// Effect of the rounding of a tensor on all later computation.
  struct Effect {
    Condition direct, behindSum; ///< behindSum: unbounded effects past a sum
  };
  /// Influences of a call: by argument, by result.
  using Influences = std::vector<std::vector<Influence>>;
  struct Summary {
    std::vector<ElementFacts> results;
    Influences influences;
  };

  void bindDimensions();
  double boundOf(const SizeExpr &size) const;
  TensorFacts factsOf(mlir::Value value);
  ElementFacts elementsOf(mlir::Value value) const;
  void deriveFacts(mlir::Operation *op);
  const Summary &summaryOf(mlir::func::CallOp call);
  bool propagateEffects(mlir::func::CallOp call);
  bool join(llvm::ArrayRef<mlir::Value> tensors);

  mlir::func::FuncOp entry;
  StorageFormat format;
  SymbolicShapes shapes;
  std::vector<int64_t> dimensions; ///< upper bounds of the shapes' symbols
  llvm::DenseMap<mlir::Value, ElementFacts> facts;
  std::map<std::string, Summary> summaries; ///< by kernel and facts
  llvm::DenseMap<mlir::Operation *, const Summary *> callSummaries;
  llvm::DenseMap<mlir::Value, Effect> effects;
};

} // namespace attnc
