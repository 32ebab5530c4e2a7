//===- Reverse.h - reverse-mode differentiation of a block --------------------------------------------------------===//
//
// A Reverse differentiates the ops of one block: the body of the function, or the copy of a loop's body that the
// reversed loop recomputes. Rules emit ops at `builder`, after all ops of the block, so every forward value is visible
// to them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Residuals.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace attnc {

/// An element of a list of parameters, or a single parameter if there are no indices.
struct ParameterElement {
  mlir::model::ParameterOp parameter;
  llvm::SmallVector<mlir::Value> indices;
};

class Reverse {
public:
  /// `requested` are the parameters with requested gradients; `choice` decides which residuals loops store.
  Reverse(mlir::OpBuilder builder, const llvm::DenseSet<mlir::Operation *> &requested, ResidualChoice &choice)
      : builder(builder), requested(requested), choice(choice) {}

  /// Marks `value` as active: the loss depends on it, and it depends on a requested input.
  void activate(mlir::Value value) { active.insert(computed(value)); }
  bool isActive(mlir::Value value) const { return active.contains(computed(value)); }
  /// Activates results of ops with active operands; active values of enclosing blocks must be marked before.
  void propagate(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds a term to the cotangent of an active value; does nothing for others.
  void addTerm(mlir::Value value, mlir::Value term);
  /// The sum of the terms so far, or null.
  mlir::Value cotangent(mlir::Value value);
  /// Differentiates the ops, last to first. Fails with an error at an op that has no derivative.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops);

  /// Maps `value` to its stored residual `stored`, which the other ops of the block read.
  void setStored(mlir::Value value, mlir::Value stored) {
    computedAs[stored] = value;
    storedAs[value] = stored;
  }

  /// Terms of gradients of parameter elements.
  using ParameterTerms = llvm::SmallVector<std::pair<ParameterElement, mlir::Value>>;
  ParameterTerms parameterTerms;

  /// A term of the cotangent of a list, for its element at `elementIndex`.
  struct ElementTerm {
    mlir::Value list, elementIndex, term;
  };
  /// From now on, terms of the elements of `list` are collected in `elementTerms` instead of added to its cotangent.
  void collectElementTerms(mlir::Value list) { collected.insert(list); }
  llvm::SmallVector<ElementTerm> elementTerms;
  /// Adds `term` to the entry of `element` in `parameterTerms`.
  void addParameterTerm(const ParameterElement &element, mlir::Value term);

  /// a + b, element by element.
  static mlir::Value sum(mlir::OpBuilder &builder, mlir::Location location, mlir::Value a, mlir::Value b);
  /// Zeros of the size of `like`.
  static mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);
  /// A list of the size of `like` with `element` at one index and zeros elsewhere. A write into a list of zeros would
  /// copy it: zeros are loop-invariant, so other users would share them.
  static mlir::Value oneElementList(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element,
                                    mlir::Value elementIndex, mlir::Value like);

private:
  void propagateThrough(mlir::scf::ForOp loop);
  mlir::LogicalResult reverse(mlir::Operation *op);
  mlir::LogicalResult reverse(mlir::linalg::GenericOp op);
  mlir::LogicalResult reverse(mlir::attn::AttendOp op);
  mlir::LogicalResult reverse(mlir::scf::ForOp loop);
  mlir::LogicalResult reverse(mlir::model::GetOp op);
  mlir::LogicalResult reverse(mlir::model::ElementOp op);
  mlir::LogicalResult reverse(mlir::model::WithElementOp op);
  mlir::LogicalResult reverse(mlir::linalg::TransposeOp op);
  mlir::LogicalResult reverse(mlir::tensor::ExpandShapeOp op);
  mlir::LogicalResult reverse(mlir::tensor::CollapseShapeOp op);
  mlir::LogicalResult reverse(mlir::tensor::ExtractSliceOp op);
  mlir::Value paddedCotangent(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult reverse(mlir::tensor::ConcatOp op);
  mlir::LogicalResult reverse(mlir::tensor::CastOp op);
  mlir::Value computed(mlir::Value value) const {
    mlir::Value found = computedAs.lookup(value);
    return found ? found : value;
  }
  mlir::Value stored(mlir::Value value) const {
    mlir::Value found = storedAs.lookup(value);
    return found ? found : value;
  }

  mlir::OpBuilder builder;
  const llvm::DenseSet<mlir::Operation *> &requested;
  ResidualChoice &choice;
  llvm::DenseSet<mlir::Value> active, collected;
  llvm::DenseMap<mlir::Value, mlir::Value> sums, computedAs, storedAs;
};

/// Whether the value is a tensor of f32.
bool isReal(mlir::Value value);
/// Adds lse, and the top keys if their weights are a result, to the statistics of an attend, for its reverse-mode rule.
void saveStatistics(mlir::attn::AttendOp op);

} // namespace attnc
