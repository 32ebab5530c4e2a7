//===- Gradient.h - reverse-mode automatic differentiation of tensor programs -------------------------------------===//
//
// For a function with a scalar result y, appends the ops that compute dy/dx for chosen arguments and parameters. From
// the last op to the first, the rule of each op maps the cotangents of its results to terms of the cotangents of its
// operands (Griewank and Walther, Evaluating Derivatives, 2nd ed., 3.2). The terms of a value are added in the order of
// its users, last one first, so results are deterministic.
//
//   op                            terms
//   linalg.generic                for each operand a generic over the same loops, whose body is the forward body
//                                 followed by its adjoint (dialects/Attn/ScalarDerivatives.h), summed over the loops
//                                 that do not index the operand. Equal maxima divide the cotangent equally
//   ... with tensor.extract       a sum over the iterations that read an element, if subscripts are invertible
//                                 (InverseRead.h), so the gradient of a convolution is a convolution; else
//                                 attn.scatter_add
//   attn.attend                   attn.attend_gradient, which reads the forward's value and lse
//   slices, concatenations,       the transposed data movement
//   transposes, reshapes
//   scf.for                       a reversed loop with rematerialisation: an iteration is recomputed from its
//                                 residuals, the carried values and those results of contractions, reductions and
//                                 attention that are stored (Residuals.h)
//   model.get                     a term of the parameter's gradient; that of a list of parameters has a leading
//                                 dimension for each index
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

/// A loss, and the arguments and parameters whose gradients are wanted.
struct GradientRequest {
  mlir::func::FuncOp function;
  mlir::Value loss;                                 ///< f32 of rank 0, computed by `function`
  llvm::SmallVector<mlir::BlockArgument> arguments; ///< f32
  llvm::SmallVector<mlir::model::ParameterOp> parameters;
};

/// One value for each requested argument and parameter, in order; zeros if the loss does not depend on it. The gradient
/// of a parameter has the type tensor<counts x shape>.
struct Gradients {
  llvm::SmallVector<mlir::Value> arguments, parameters;
};

/// Appends ops before the function's return; its results stay. Attends get the statistics that their gradients read,
/// and the function the attribute of Residuals.h. Fails with an error at an op that has no derivative.
mlir::FailureOr<Gradients> appendGradients(const GradientRequest &request);

} // namespace attnc
