//===- Reverse.h - reverse-mode differentiation of a block --------------------------------------------------------===//
//
// reverse() differentiates the ops of one block: the body of the function, or the copy of a loop's body that the
// reversed loop recomputes. The rule of each op reads the cotangents of its results, and adds terms to those of its
// operands. Rules emit ops after all ops of the block, so every forward value is visible to them.
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

/// An element of a list of parameters, or a single parameter if there are no indices.
struct ParameterElement {
  mlir::model::ParameterOp parameter;
  llvm::SmallVector<mlir::Value> indices;
};

/// The cotangents of the values of one block.
class BlockCotangents {
public:
  /// Rules emit ops at `builder`; `requested` are the parameters with requested gradients.
  BlockCotangents(mlir::OpBuilder builder, const llvm::DenseSet<mlir::Operation *> &requested)
      : builder(builder), requested(requested) {}

  mlir::OpBuilder builder;
  const llvm::DenseSet<mlir::Operation *> &requested;

  /// Marks `value` as active: the loss depends on it, and it depends on a requested input.
  void activate(mlir::Value value) { active.insert(computed(value)); }
  bool isActive(mlir::Value value) const { return active.contains(computed(value)); }
  /// Activates results of ops with active operands; active values of enclosing blocks must be marked before.
  void propagate(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds a term to the cotangent of an active value; does nothing for others.
  void addTerm(mlir::Value value, mlir::Value term);
  /// The sum of the terms so far, or null.
  mlir::Value cotangent(mlir::Value value) const { return sums.lookup(computed(value)); }

  /// Maps `value` to its stored residual `stored`, which the other ops of the block read.
  void setStored(mlir::Value value, mlir::Value stored) {
    computedAs[stored] = value;
    storedAs[value] = stored;
  }
  /// The stored residual of `value`, or `value` itself.
  mlir::Value stored(mlir::Value value) const {
    mlir::Value found = storedAs.lookup(value);
    return found ? found : value;
  }

  /// Terms of gradients of parameter elements.
  using ParameterTerms = llvm::SmallVector<std::pair<ParameterElement, mlir::Value>>;
  ParameterTerms parameterTerms;
  /// Adds `term` to the entry of `element` in `parameterTerms`.
  void addParameterTerm(const ParameterElement &element, mlir::Value term);

  /// A term of the cotangent of a list, for its element at `elementIndex`.
  struct ElementTerm {
    mlir::Value list, elementIndex, term;
  };
  llvm::SmallVector<ElementTerm> elementTerms;
  /// From now on, terms of the elements of `list` are collected in `elementTerms` instead of added to its cotangent.
  void collectElementTerms(mlir::Value list) { collected.insert(list); }
  /// Adds a term of the element that `op` reads, to `elementTerms` or to the cotangent of its list.
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

/// Differentiates the ops of a block, last to first; `choice` decides which residuals loops store.
mlir::LogicalResult reverse(BlockCotangents &block, llvm::ArrayRef<mlir::Operation *> ops, ResidualChoice &choice);

/// Rules of their own files.
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::linalg::GenericOp op);
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::attn::AttendOp op);
mlir::LogicalResult applyRule(BlockCotangents &block, mlir::scf::ForOp loop, ResidualChoice &choice);

/// Adds lse, and the top keys if their weights are a result, to the statistics of an attend, for its reverse-mode rule.
void saveStatistics(mlir::attn::AttendOp op);

} // namespace attnc
