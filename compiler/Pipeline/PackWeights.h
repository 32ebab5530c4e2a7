//===- PackWeights.h - which weights arrive packed --------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Marks the matrix of a gemm kernel as `attn.packed` where the target's code is faster that way and every call of the
/// kernel passes a parameter; `prepare` then packs it once. Each choice is recorded for `attnc explain`.
void packWeights(mlir::ModuleOp module, const Target &target);

} // namespace attnc
