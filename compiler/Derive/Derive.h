//===- Derive.h - entry points made from others -------------------------------------------------------------------===//
//
// The derive phase replaces functions that say how they are to be derived by ordinary ones. A function with
// `model.gradient` computes one f32 of rank 0, its value; afterwards its results are that value and the gradients of
// its f32 arguments and of all parameters that are not frozen, named `<name>_gradient` (compiler/Derive/Gradient.h).
// A function with `model.minimize` computes a loss; afterwards it also sets parameters and states to what the
// optimizer's steps make of the gradients (compiler/Derive/Minimize.h). One with `model.incremental` becomes the
// functions that compute it position by position (Incremental/Incremental.h), one with `model.decode` the loop that
// writes tokens by them (Incremental/Decode.h), one with `model.attention` what gives the weights of its attentions
// (AttentionMaps.h), one with `attn.given_weights` what takes such weights (GivenWeights.h).
// `attn-incremental` and `attn-derive` are the passes; they need sizes resolved and views raised, as
// buildDerivePipeline does before.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

std::unique_ptr<mlir::Pass> createDerivePass();
std::unique_ptr<mlir::Pass> createIncrementalPass();

/// The whole phase, for a builtin.module.
void buildDerivePipeline(mlir::OpPassManager &passes);

/// Does a function of the module ask for it?
bool needsDerive(mlir::ModuleOp module);

/// Makes the passes, and the phase as `attn-derive-phase`, known to attn-opt.
void registerDerivePasses();

} // namespace attnc
