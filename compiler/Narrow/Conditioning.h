//===- Conditioning.h - conditioning analysis: which tensors of an entry point may be rounded ---------------------===//
//
// Forward and backward data-flow analysis over the calls of an entry point. Forward: an enclosure of the elements of
// each tensor, and whether they depend on positions and constants alone. Backward: the condition number of all later
// computation with respect to each tensor,
//
//   D(t) = the largest of all K(t, r), and of those K(t, r) D(r) that are beyond the limit
//
// over the calls that read t and their results r, with K from KernelCondition.h. Past a sum of products only unbounded
// effects are propagated. A tensor stays f32 if D is beyond the limit: an error from its rounding would exceed 1/32 of
// the affected value.
//
//   K u <= 2^-5       bf16  u = 2^-8   K <= 8            f16  u = 2^-11   K <= 64
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Narrow/KernelCondition.h"
#include <map>

namespace attnc {

class Conditioning {
public:
  Conditioning(mlir::func::FuncOp entry, mlir::FloatType element);

  /// The reason why a tensor of the entry point must stay f32 instead of `element` (bf16, f16), as a clause ("`sin`
  /// amplifies its rounding ..."); empty if it may be rounded.
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
