//===- Gradient.h - reverse mode on tensors -----------------------------------------------------------------------===//
//
// Given a function as it was imported and a scalar result y, appends the ops that compute dy/dx for chosen arguments
// and parameters: from the last op to the first, each op's rule turns the cotangents of its results into terms of the
// cotangents of its operands (Griewank and Walther, Evaluating Derivatives, 2nd ed., 3.2). The terms of a value are
// added in the order in which its users stand in the program, last first, so that results are the same every time.
//
//   op                            terms
//   linalg.generic                for each operand a generic over the same loops, its body the forward's followed by
//                                 its reverse (dialects/Attn/ScalarDerivatives.h); loops that the operand doesn't know
//                                 are summed. Maxima share the cotangent among equal terms
//   ... with tensor.extract       a sum over the iterations that read an element, where subscripts can be turned round
//                                 (InverseRead.h), so that of a convolution it is one too; attn.scatter_add elsewhere
//   attn.attend                   attn.attend_gradient, with the forward's value and lse saved
//   slices, concatenations,       the transposed movement
//   transposes, reshapes
//   scf.for                       a loop that runs backwards: an iteration is computed again from what was kept of it:
//                                 the carried values and those results of contractions, reductions and attention that
//                                 are not to be computed again (Residuals.h)
//   model.get                     a term of the parameter's gradient; a list of parameters has a leading dimension for
//                                 each index
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

struct GradientRequest {
  mlir::func::FuncOp function;
  mlir::Value loss;                                 ///< f32 of rank 0, computed by `function`
  llvm::SmallVector<mlir::BlockArgument> arguments; ///< f32
  llvm::SmallVector<mlir::model::ParameterOp> parameters;
};

/// One value for each argument and each parameter asked for, in their order; zeros where the loss does not depend on
/// it. A parameter's has the type tensor<counts x shape>.
struct Gradients {
  llvm::SmallVector<mlir::Value> arguments, parameters;
};

/// Appends before the function's return; the function's results stay. Fails with an error at the op that has no
/// derivative.
mlir::FailureOr<Gradients> appendGradients(const GradientRequest &request);

} // namespace attnc
