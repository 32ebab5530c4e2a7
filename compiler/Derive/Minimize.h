//===- Minimize.h - the training step: gradient, clipping and optimizer update ------------------------------------===//
//
// A function with `model.minimize` computes a loss L. For each parameter p with optimizer states s, these ops are
// appended:
//
//   g = dL/dp                                  compiler/Derive/Gradient.h
//   L, g = their means over b batches          in a loop, with gradient accumulation over several batches; each input
//                                              gets a leading dimension of b
//   g = g min(1, c / |all g together|)         with clipping of the global norm (Pascanu, Mikolov, Bengio 2013)
//   n = count + 1
//   p, s = step(p, g, n, s)                    the optimizer's function, inlined; a loop over the elements of a list;
//                                              n is the number of the training step, as f32
//
// followed by `model.set` of all of them. The results of the function stay the same: the loss of the parameters before
// the training step.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Fails with an error at an op that has no derivative, or if the optimizer's function reads another trained parameter
/// or swaps states.
mlir::LogicalResult deriveMinimization(mlir::func::FuncOp function);

/// Erases private functions without references, such as the functions of optimizers.
void eraseSteps(mlir::ModuleOp module);

} // namespace attnc
