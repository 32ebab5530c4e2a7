//===- Reverse.h - the reverse of a block ---------------------------------------------------------------------===//
//
// A Reverse stands for one block whose ops are differentiated: the body of the function, or the instance of a loop's
// body that the reversed loop computes again. Rules emit at `builder`, behind all ops of the block, so every forward
// value is visible to them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Residuals.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace attnc {

/// An element of a parameter's list, or the parameter itself where there are no indices.
struct ParameterElement {
  mlir::model::ParameterOp parameter;
  llvm::SmallVector<mlir::Value> indices;
};

class Reverse {
public:
  /// `wanted` are the parameters whose gradients are asked for; `choice` says what loops keep.
  Reverse(mlir::OpBuilder builder, const llvm::DenseSet<mlir::Operation *> &wanted, ResidualChoice &choice)
      : builder(builder), wanted(wanted), choice(choice) {}

  /// Says that the loss depends on `value` in a way that is asked for.
  void activate(mlir::Value value) { active.insert(computed(value)); }
  bool isActive(mlir::Value value) const { return active.contains(computed(value)); }
  /// Activates what the ops compute from active values; active values of enclosing blocks must have been activated.
  void propagate(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds a term to the cotangent of an active value; does nothing for others.
  void give(mlir::Value value, mlir::Value term);
  /// The sum of the terms so far, or null.
  mlir::Value cotangent(mlir::Value value);
  /// Differentiates the ops, last to first.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops);

  /// Says that `value` was kept: `stored` holds it, and is what other ops of the block read.
  void keep(mlir::Value value, mlir::Value stored) {
    computedAs[stored] = value;
    storedAs[value] = stored;
  }

  /// Parameters whose elements got terms, with those.
  using ParameterTerms = llvm::SmallVector<std::pair<ParameterElement, mlir::Value>>;
  ParameterTerms parameterTerms;

  /// A term of the cotangent of a list, of its element at `place`.
  struct ElementTerm {
    mlir::Value list, place, term;
  };
  /// Says that terms of the elements of `list` are gathered in `elementTerms`.
  void gatherElements(mlir::Value list) { gathered.insert(list); }
  llvm::SmallVector<ElementTerm> elementTerms;
  void giveParameter(const ParameterElement &element, mlir::Value term);

  /// a + b, element by element.
  static mlir::Value sum(mlir::OpBuilder &builder, mlir::Location location, mlir::Value a, mlir::Value b);
  /// A tensor of zeros of the size of `like`.
  static mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);
  /// A list of the size of `like`: `element` in one place, zeros elsewhere. Zeros that an element is written into would
  /// be shared with others: they are the same in each turn of a loop.
  static mlir::Value aloneInList(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element,
                                 mlir::Value place, mlir::Value like);

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
  const llvm::DenseSet<mlir::Operation *> &wanted;
  ResidualChoice &choice;
  llvm::DenseSet<mlir::Value> active, gathered;
  llvm::DenseMap<mlir::Value, mlir::Value> sums, computedAs, storedAs;
};

/// Is this a tensor of f32?
bool isReal(mlir::Value value);
/// Gives a softmax lse among its results, for its reverse to read.
void saveStatistics(mlir::attn::AttendOp op);

} // namespace attnc
