//===- Reverse.h - reverse-mode differentiation of a block --------------------------------------------------------===//
//
// reverse() differentiates the ops of one block: the body of a function, or, in the reversed loop, the copy of a loop's
// body that recomputes the forward values. The rule of each op reads the cotangents of the op's results, and adds terms
// to the cotangents of its operands. A cotangent is the derivative of the loss with respect to a value, an f32 tensor
// of the value's shape. Rules emit ops after all ops of the block, so every forward value is visible to them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/CotangentTensors.h"
#include "compiler/Derive/Residuals.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace attnc {

/// One parameter of a list of parameters, at `indices` (one `index` for each list around it, outermost first). With
/// fewer indices, all parameters of the inner lists together; without indices, a single parameter, or a whole list.
struct ParameterElement {
  mlir::model::ParameterOp parameter;
  llvm::SmallVector<mlir::Value> indices;
};

/// The cotangents of the values of one block.
class BlockCotangents {
public:
  /// Rules emit ops at `builder`; `requested` are the model.parameter ops with requested gradients, and must outlive
  /// this object.
  BlockCotangents(mlir::OpBuilder builder, const llvm::DenseSet<mlir::Operation *> &requested)
      : builder(builder), requested(requested) {}

  mlir::OpBuilder builder;
  const llvm::DenseSet<mlir::Operation *> &requested;

  /// Marks `value` as active: it depends on a requested argument or parameter, so terms for it are collected.
  void activate(mlir::Value value) { active.insert(computed(value)); }
  bool isActive(mlir::Value value) const { return active.contains(computed(value)); }
  /// Activates the f32 results of those of `ops` that read an active tensor or a requested parameter, in order. Active
  /// values of enclosing blocks must be marked before.
  void propagate(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds a term to the cotangent of an active value; does nothing for other values.
  void addTerm(mlir::Value value, mlir::Value term);
  /// The sum of the terms so far; null if there are none.
  mlir::Value cotangent(mlir::Value value) const { return sums.lookup(computed(value)); }

  /// Records that `stored`, an element of a per-iteration list, holds the same numbers as `value`, which an op of the
  /// block would recompute. The other ops of the block read `stored`; both share one cotangent.
  void setStored(mlir::Value value, mlir::Value stored) {
    computedAs[stored] = value;
    storedAs[value] = stored;
  }
  /// The stored residual of `value`, or `value` itself.
  mlir::Value stored(mlir::Value value) const {
    mlir::Value found = storedAs.lookup(value);
    return found ? found : value;
  }

  /// The gradients of parameters: one sum of terms for each parameter element that the block reads.
  using ParameterTerms = llvm::SmallVector<std::pair<ParameterElement, mlir::Value>>;
  ParameterTerms parameterTerms;
  /// Adds `term` to the sum of `element` in `parameterTerms`; creates the entry if there is none.
  void addParameterTerm(const ParameterElement &element, mlir::Value term);

  /// A term of the cotangent of a per-iteration list, for its element at `elementIndex` (an `index`).
  struct ElementTerm {
    mlir::Value list, elementIndex, term;
  };
  llvm::SmallVector<ElementTerm> elementTerms;
  /// After this call, addElementTerm() collects the terms of `list` in `elementTerms` instead of adding them to the
  /// cotangent of the whole list.
  void collectElementTerms(mlir::Value list) { collected.insert(list); }
  /// Adds a term for the list element that `op` reads: to `elementTerms`, or to the cotangent of the list, as a list
  /// that is zero elsewhere.
  void addElementTerm(mlir::model::ElementOp op, mlir::Value term);

private:
  void propagateThrough(mlir::scf::ForOp loop);
  mlir::Value computed(mlir::Value value) const {
    mlir::Value found = computedAs.lookup(value);
    return found ? found : value;
  }

  llvm::DenseSet<mlir::Value> active, collected;
  llvm::DenseMap<mlir::Value, mlir::Value> sums, computedAs, storedAs;
};

/// Applies the rules of `ops`, ops of one block in program order, last to first. An op without a cotangent of a result
/// is skipped. `choice` decides which residuals loops store. Loops in `ops` are replaced by loops that also store
/// residuals. Fails with an error at an op that has no derivative or an unsupported one.
mlir::LogicalResult reverse(BlockCotangents &block, llvm::ArrayRef<mlir::Operation *> ops, ResidualChoice &choice);

/// The rules in GenericRule.cpp, AttendRule.cpp and LoopRule.cpp; Reverse.cpp has the others. A result of the op must
/// have a cotangent.
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::linalg::GenericOp op);
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::attn::AttendOp op);
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::scf::ForOp loop, ResidualChoice &choice);

/// Replaces `op` by an attend with the further results that its rule reads: lse, if the normaliser has one, and the top
/// keys, if their weights are a result. Does nothing if `op` has these results. Must precede reverse() of the block.
void saveStatistics(mlir::attn::AttendOp op);

} // namespace attnc
