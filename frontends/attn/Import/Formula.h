//===- Formula.h - scalar expressions as arith and math -----------------------------------------------------------===//
//
// Translates an element expression (Check/Typed.h) to the body of a linalg.generic, of a region of attn.attend, or of
// an attn.reduce. All values in a body are scalars. Indices are `index` values. Tensors are read by tensor.extract
// unless they are operands of the enclosing op. An expression that is reached twice in one body is computed once.
//
// The functions create ops at the insertion point of `builder`, with the location `at`, and return their result.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace attnc {

/// Combines two terms of a reduction, of the element type `element`. The combiner is not ArgMax or ArgMin.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location at, typed::Combiner combiner, typed::Element element,
                    mlir::Value left, mlir::Value right);

/// Returns the identity of a combiner, a constant of the element type `element`: the result of a reduction without
/// terms (typed::Combiner). For ArgMax and ArgMin it is the initial term, -inf and +inf, or the least and the largest
/// i32.
mlir::Value identity(mlir::OpBuilder &builder, mlir::Location at, typed::Combiner combiner, typed::Element element);

/// Applies the operator of `expr`, an Elementwise, to the values of its operands.
mlir::Value operation(mlir::OpBuilder &builder, mlir::Location at, const typed::Expr &expr,
                      llvm::ArrayRef<mlir::Value> operands);

/// Converts a scalar as typed::Cast specifies; returns it unchanged if the element types are equal. Requires that a
/// value of Index fits into 32 bits.
mlir::Value castTo(mlir::OpBuilder &builder, mlir::Location at, typed::Element from, typed::Element to,
                   mlir::Value value);

/// Returns a constant of the element type.
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location at, typed::Element element, const typed::Constant &value);

/// True if an expression depends on the time step of a scan, and on nothing else but constants and sizes, as t and t -
/// 1.
bool isStepNumber(typed::ExprRef expr);
/// Returns the position of the first index of a Subscript that is proved to be in range and for which isStepNumber is
/// true; the number of indices if there is none.
unsigned stepSubscript(const typed::Subscript &subscript);

/// The code of one body: the values of its scalar expressions, and of the indices, locals and operands that they refer
/// to. `bind` sets the latter before `value` is called.
class Formula {
public:
  using SizeOf = std::function<mlir::Value(const Dim &, mlir::Location)>;
  using TensorOf = std::function<mlir::Value(typed::ExprRef)>;
  using CounterOf = std::function<mlir::Value(const typed::LoopCounter *)>;
  /// Returns the slice of a tensor at the index `place` of the dimension `dimension`, without that dimension.
  /// isStepNumber is true for `place`.
  using StepOf = std::function<mlir::Value(typed::ExprRef, unsigned dimension, typed::ExprRef place)>;
  using LocationOf = std::function<mlir::Location(SourceRange)>;

  /// Functions for values from outside of a body: a size and the counter of a loop as `index`, a tensor, and a slice of
  /// a tensor at the time step. They create ops before the op that owns the body. `location` converts a source range.
  struct Surroundings {
    SizeOf size;
    TensorOf tensor;
    CounterOf counter;
    StepOf step;
    LocationOf location;
  };

  /// Creates the code of the body at the insertion point of `builder`. For the body of an attn.reduce, `outer` is the
  /// formula of the body around it, whose values this body uses too; otherwise it is null. All arguments outlive the
  /// object.
  Formula(mlir::OpBuilder &builder, const Surroundings &around, const Formula *outer = nullptr)
      : builder(builder), around(around), outer(outer) {}

  /// Set the value of an index and of a scalar local: the `w` of a weight.
  void bind(const typed::Index *index, mlir::Value value) { indices[index] = value; }
  void bind(const typed::Local *local, mlir::Value value) { scalars[local] = value; }
  /// Sets the value of an expression that is an operand of the enclosing op.
  void bind(typed::ExprRef expr, mlir::Value value) { known[expr] = value; }

  /// Returns the value of an element expression, whose indices are bound. Its ops are created at its first use.
  mlir::Value value(typed::ExprRef expr);

private:
  mlir::Value compute(const typed::Expr &expr);
  mlir::Value reduce(const typed::Expr &expr);
  mlir::Value checkedAtRunTime(mlir::Value subscript);
  mlir::Value subscript(const typed::Expr &expr);
  mlir::Value draw(const typed::Expr &expr);
  /// Return a known value of this formula or of those around it; null if there is none.
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
