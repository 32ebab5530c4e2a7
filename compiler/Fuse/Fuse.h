//===- Fuse.h - the fuse phase: tensor computations to kernels --------------------------------------------------===//
//
// The fuse phase rewrites an imported module to kernels and entry points that only call them (docs/architecture.md).
// Passes.td and EmitterPasses.td define its passes, docs/passes.md lists them, buildKernelsPipeline and
// buildWeightsPipeline order them.
//
// Derive is preceded by two variants that rewrite attention alone, attn-fold-views-into-attention and
// attn-fold-pair-formulas, and by attn-batch-iterations, so that gradients are derived from their results.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

#define GEN_PASS_DECL
#include "compiler/Fuse/Passes.h.inc"

/// Creates the pass. A sum over windows that one of `emitters` supports directly does not become a contraction.
/// `emitters` must outlive the pass.
std::unique_ptr<mlir::Pass> createFormContractionsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                                                       llvm::StringRef target = "native");
/// Creates the pass. `target` is an argument of Target::resolve. `emitters` must outlive the pass.
std::unique_ptr<mlir::Pass> createSplitKernelsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                   llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createPackWeightsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                  llvm::StringRef target = "native");

/// Adds the passes up to kernels, for a builtin.module. They ensure that one of `emitters` supports each kernel on
/// `target`; without emitters they do not check it. `emitters` must outlive the passes.
void buildKernelsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// Adds the passes that pack weights in the layouts that the emitters of kernels require; without emitters no weight is
/// packed.
void buildWeightsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// Adds both parts. The compile itself applies a strategy's choice of emitters between them.
void buildFusePipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                       llvm::StringRef target = "native");

/// Registers the upstream interfaces that the passes use, for a context without them.
void registerFuseInterfaces(mlir::DialectRegistry &registry);

/// Registers the passes, and the pipeline `attn-fuse` (without emitters, so no weight is packed), for attn-opt. The
/// passes of EmitterPasses.td query `emitters`, which must outlive every use of the passes.
void registerFusePasses(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

} // namespace attnc
