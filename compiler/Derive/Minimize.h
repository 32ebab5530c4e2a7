//===- Minimize.h - a step of training ----------------------------------------------------------------------------===//
//
// A function with `model.minimize` computes a loss L. What is appended to it, for each parameter p with its states s:
//
//   g = dL/dp                                  compiler/Derive/Gradient.h
//   L, g = their means over n batches           in a loop, where the gradients of several batches are accumulated
//   g = g min(1, c / |all g together|)         where the norm is clipped (Pascanu, Mikolov, Bengio 2013)
//   n = count + 1
//   p, s = step(p, g, n, s)                    the optimizer's function, inlined; a loop over the elements of a list
//
// and `model.set` of all of them. Its results stay the same: the loss of the parameters before the step.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Fails with an error at the op that has no derivative.
mlir::LogicalResult deriveMinimization(mlir::func::FuncOp function);

/// Drops the functions of optimizers' steps that nothing names any more.
void eraseSteps(mlir::ModuleOp module);

} // namespace attnc
