//===- Gradient.h - reverse-mode automatic differentiation of tensor programs -------------------------------------===//
//
// For a function that computes a scalar y, appendGradients() appends the ops that compute dy/dx for chosen arguments
// and parameters x. From the last op to the first, the rule of each op maps the cotangents of its results to terms of
// the cotangents of its operands (Griewank and Walther, Evaluating Derivatives, 2nd ed., 3.2). The cotangent of a value
// is dy/dvalue. The terms of a value are added in the order of its users, last one first, so results are deterministic.
//
//   op                            terms
//   linalg.generic                for each operand a generic over the same loops, whose body is the forward body
//                                 followed by its adjoint (dialects/Attn/ScalarDerivatives.h), summed over the loops
//                                 that do not index the operand. Equal maxima divide the cotangent equally
//   ... with tensor.extract       a sum over the iterations that read an element, if subscripts are invertible
//                                 (InverseRead.h), so the gradient of a convolution is a convolution; else
//                                 attn.scatter_add
//   attn.attend                   attn.attend_gradient, which reads results of the forward op: value, lse, top keys
//   slices, concatenations,       the transposed data movement
//   transposes, reshapes
//   scf.for                       a reversed loop with rematerialisation: an iteration is recomputed from its
//                                 residuals. These are the carried values, and those results of contractions,
//                                 reductions and attention that are stored (Residuals.h)
//   model.get                     a term of the parameter's gradient. The gradient of a list of parameters has a
//                                 leading dimension for each index of the list
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

/// A loss, and the arguments and parameters with respect to which it is differentiated.
struct GradientRequest {
  mlir::func::FuncOp function;
  mlir::Value loss;                                       ///< f32 of rank 0, computed in the body of `function`
  llvm::SmallVector<mlir::BlockArgument> arguments;       ///< f32 tensors, arguments of `function`
  llvm::SmallVector<mlir::model::ParameterOp> parameters; ///< f32
};

/// One gradient for each requested argument and parameter, in the order of the request; zeros if the loss does not
/// depend on it. The gradient of an argument has the argument's shape. The gradient of a parameter has the shape
/// [counts..., shape...], where `counts` are the lengths of the lists that the parameter belongs to.
struct Gradients {
  llvm::SmallVector<mlir::Value> arguments, parameters;
};

/// Appends the ops before the function's return; the results of the function stay. Also replaces each attend by one
/// with the statistics that its gradient reads, follows the function's `attn.recompute`, and writes `attn.residuals`
/// (Residuals.h). Fails with an error at an op that has no derivative.
mlir::FailureOr<Gradients> appendGradients(const GradientRequest &request);

/// Replaces each attn.gradient of the function, in program order, by ops that compute the gradient, followed by an
/// attn.stop, and each attn.variable by its operand. Fails with an error at an op that has no derivative. Must precede
/// appendGradients().
mlir::LogicalResult deriveNestedGradients(mlir::func::FuncOp function);

} // namespace attnc
