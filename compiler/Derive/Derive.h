//===- Derive.h - the derive phase: entry points generated from others --------------------------------------------===//
//
// Replaces each function with one of these attributes by ordinary functions:
//
//   model.gradient       computes a scalar f32. Its results become that value and the gradients, `<name>_gradient`, of
//                        its f32 arguments and of all parameters that are not frozen (Gradient.h)
//   model.minimize       computes a loss. It also sets parameters and states by the optimizer's update (Minimize.h)
//   model.incremental    becomes functions that compute it position by position (Incremental/Incremental.h)
//   model.decode         becomes the decoding loop over these functions (Incremental/Decode.h)
//   model.attention      returns attention weights (AttentionMaps.h)
//   attn.attention_override   takes attention weights as inputs (AttentionOverride.h)
//
// The passes are `attn-incremental`, `attn-segment-scans` and `attn-derive` (Passes.td). They require resolved sizes
// and raised views, which buildDerivePipeline establishes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

#define GEN_PASS_DECL
#include "compiler/Derive/Passes.h.inc"

/// Builds the whole phase, for a builtin.module.
void buildDerivePipeline(mlir::OpPassManager &passes);

/// Whether a function of the module has one of these attributes. (One with model.decode needs one with
/// model.incremental.)
bool needsDerive(mlir::ModuleOp module);

/// Registers the passes, and the phase as `attn-derive-phase`, for attn-opt.
void registerDerivePasses();

} // namespace attnc
