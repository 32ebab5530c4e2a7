//===- Derive.h - the derive phase: entry points generated from others --------------------------------------------===//
//
// The phase rewrites each function with one of these attributes to ordinary functions, without the attribute:
//
//   model.gradient       a function with one result, an f32 of rank 0. The gradients of its f32 arguments, and of all
//                        parameters that are not frozen, become further results `<name>_gradient`, with each `.` of
//                        the name replaced by `_` (Gradient.h)
//   model.minimize       a function that returns a loss. It gains the optimizer's update, which sets parameters and
//                        states (Minimize.h)
//   model.incremental    is replaced by functions that compute it position by position (Incremental/Incremental.h)
//   model.decode         a sampler of tokens. It is replaced by the decoding loop, which calls the sampler and the
//                        incremental functions (Incremental/Decode.h)
//   model.attention      its results are replaced by attention weights (AttentionMaps.h)
//   attn.attention_override   gains inputs that replace attention weights (AttentionOverride.h)
//
// Each attn.gradient in a function is replaced by ops that compute it (Gradient.h).
//
// The passes are `attn-incremental`, `attn-segment-scans` and `attn-derive` (Passes.td). They require resolved sizes
// (attn-resolve-sizes) and raised views (attn-raise-views); buildDerivePipeline runs these passes of fuse first.
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

/// Appends the passes of the phase, which run on a builtin.module, to `passes`.
void buildDerivePipeline(mlir::OpPassManager &passes);

/// True if a function of the module has one of the attributes above or an attn.variable. `model.decode` is not tested,
/// because a module with `model.decode` also has the `model.incremental` function that is decoded.
bool needsDerive(mlir::ModuleOp module);

/// Registers the passes, and the phase as `attn-derive-phase`, for attn-opt.
void registerDerivePasses();

} // namespace attnc
