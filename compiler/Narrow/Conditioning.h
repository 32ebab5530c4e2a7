//===- Conditioning.h - which tensors of an entry point may be rounded --------------------------------------------===//
//
// Forward and backward data flow over the calls of an entry point. Forward: between what numbers the elements of each
// tensor lie, and whether they are made of positions and constants alone. Backward: the condition number of what
// follows with respect to each tensor,
//
//   D(t) = the largest of all K(t, r), and of those K(t, r) D(r) that are beyond the limit
//
// over the calls that read t and their results r, with K from KernelCondition.h. From behind a sum of products only
// effects without a bound are passed on. A tensor is kept in f32 where D is beyond the limit: its rounding makes an
// error of more than 1/32 of what it is an error of.
//
//   K u <= 2^-5       bf16  u = 2^-8   8 times           f16  u = 2^-11   64 times
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Narrow/KernelCondition.h"
#include <map>

namespace attnc {

class Conditioning {
public:
  Conditioning(mlir::func::FuncOp entry, mlir::FloatType element);

  /// Why a tensor of the entry point has to stay f32, as a clause of its own; empty where it may be rounded.
  std::string reasonOf(mlir::Value tensor) const;

private:
  /// What the rounding of a tensor does to all that follows.
  struct Effect {
    Condition direct, behindSum; ///< the latter of what has no bound
  };
  /// A call's influences: by argument, by result.
  using Influences = std::vector<std::vector<Influence>>;
  struct Summary {
    std::vector<ElementFacts> results;
    Influences influences;
  };

  void bindDimensions();
  double boundOf(const SizeExpr &size) const;
  TensorFacts factsOf(mlir::Value value);
  ElementFacts elementsOf(mlir::Value value) const;
  void learn(mlir::Operation *op);
  const Summary &summaryOf(mlir::func::CallOp call);
  bool spread(mlir::func::CallOp call);
  bool join(llvm::ArrayRef<mlir::Value> tensors);

  mlir::func::FuncOp entry;
  StorageFormat format;
  SymbolicShapes shapes;
  std::vector<int64_t> dimensions; ///< upper bounds of the shapes' symbols
  llvm::DenseMap<mlir::Value, ElementFacts> facts;
  std::map<std::string, Summary> summaries; ///< by kernel and facts
  llvm::DenseMap<mlir::Operation *, const Summary *> ofCalls;
  llvm::DenseMap<mlir::Value, Effect> effects;
};

} // namespace attnc
