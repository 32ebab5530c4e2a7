//===- Formula.h - scalar expressions as arith and math -----------------------------------------------------------===//
//
// Builds the body of a linalg.generic, of a region of attn.attend, or of an attn.reduce: everything is a scalar,
// indices are `index` values, and tensors are read by tensor.extract unless they are operands of the enclosing op. An
// expression that is reached twice in one body is computed once.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace attnc {

/// `left` combiner `right`; not ArgMax or ArgMin.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location at, typed::Combiner combiner, typed::Element element,
                    mlir::Value left, mlir::Value right);

/// The result of a reduction without terms; for ArgMax and ArgMin, the value that is worse than any other.
mlir::Value identity(mlir::OpBuilder &builder, mlir::Location at, typed::Combiner combiner, typed::Element element);

/// An operator on scalars. `expr` is an Elementwise; its operands have been computed.
mlir::Value operation(mlir::OpBuilder &builder, mlir::Location at, const typed::Expr &expr,
                      llvm::ArrayRef<mlir::Value> operands);

mlir::Value castTo(mlir::OpBuilder &builder, mlir::Location at, typed::Element from, typed::Element to,
                   mlir::Value value);

mlir::Value constant(mlir::OpBuilder &builder, mlir::Location at, typed::Element element, const typed::Constant &value);

/// True if an expression depends on the time step of a scan and on sizes alone.
bool isStepNumber(typed::ExprRef expr);
/// The position of the first such subscript; the number of subscripts if there is none.
unsigned stepSubscript(const typed::Subscript &subscript);

class Formula {
public:
  using SizeOf = std::function<mlir::Value(const Dim &, mlir::Location)>;
  using TensorOf = std::function<mlir::Value(typed::ExprRef)>;
  using CounterOf = std::function<mlir::Value(const typed::LoopCounter *)>;
  /// A slice of a tensor at a time step of a scan.
  using StepOf = std::function<mlir::Value(typed::ExprRef, unsigned dimension, typed::ExprRef place)>;
  using LocationOf = std::function<mlir::Location(SourceRange)>;

  /// Values from outside that a body uses; all are computed before the op that owns the body.
  struct Surroundings {
    SizeOf size;
    TensorOf tensor;
    CounterOf counter;
    StepOf step;
    LocationOf location;
  };

  Formula(mlir::OpBuilder &builder, const Surroundings &around, const Formula *outer = nullptr)
      : builder(builder), around(around), outer(outer) {}

  void bind(const typed::Index *index, mlir::Value value) { indices[index] = value; }
  void bind(const typed::Local *local, mlir::Value value) { scalars[local] = value; }
  /// Sets the value of an expression that is an operand of the enclosing op.
  void bind(typed::ExprRef expr, mlir::Value value) { known[expr] = value; }

  mlir::Value value(typed::ExprRef expr);

private:
  mlir::Value compute(const typed::Expr &expr);
  mlir::Value reduce(const typed::Expr &expr);
  mlir::Value subscript(const typed::Expr &expr);
  mlir::Value draw(const typed::Expr &expr);
  mlir::Value find(typed::ExprRef expr) const;
  mlir::Value find(const typed::Index *index) const;
  mlir::Value find(const typed::Local *local) const;

  mlir::OpBuilder &builder;
  const Surroundings &around;
  const Formula *outer;
  llvm::DenseMap<const typed::Index *, mlir::Value> indices;
  llvm::DenseMap<const typed::Local *, mlir::Value> scalars;
  llvm::DenseMap<typed::ExprRef, mlir::Value> known;
};

} // namespace attnc
