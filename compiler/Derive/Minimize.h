//===- Minimize.h - the training step: gradient, clipping and optimizer update ------------------------------------===//
//
// A function with `model.minimize` returns a loss L and any number of metrics, all f32. The attribute lists the trained
// parameters p, each with its optimizer states s and its optimizer function `step`. For each p, these ops are appended:
//
//   g = dL/dp                                  compiler/Derive/Gradient.h
//   L, g = their means over b batches          only with gradient accumulation over b > 1 batches: a loop over the
//                                              batches, also for metrics; each input gets a leading dimension of b,
//                                              except the key of random draws, which differ from batch to batch
//   g = g min(1, c / norm of all g together)   only with clipping of the global norm to c (Pascanu, Mikolov, Bengio
//                                              2013)
//   n = count + 1                              the number of the training step, i32; step() reads it as f32
//   p, s = step(p, g, n, s)                    the optimizer's function, inlined; for a list of parameters, in a loop
//                                              over its elements
//
// A `model.set` of each changed p and s, and of the count, ends the training step. The function still returns the loss
// and the metrics of the parameters before the training step; with accumulation, their means.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Appends the training step to `function`, and removes `model.minimize`. Fails with an error at an op that has no
/// derivative or an unsupported one, at a read (model.get) of a trained parameter in the optimizer's function, or if
/// that function swaps the parameter and states, or permutes them in a cycle.
mlir::LogicalResult deriveMinimization(mlir::func::FuncOp function);

/// Erases private functions with a body that nothing references: the optimizers' functions, after they are inlined.
void eraseSteps(mlir::ModuleOp module);

} // namespace attnc
