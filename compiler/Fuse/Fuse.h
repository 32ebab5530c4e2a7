//===- Fuse.h - the fuse phase: tensor computations to kernels ----------------------------------------------------===//
//
// The fuse phase moves every tensor computation of a module into a kernel function; entry points then only call kernels
// (docs/architecture.md). Passes.td and EmitterPasses.td define its passes, docs/passes.md lists them, and
// buildKernelsPipeline and buildWeightsPipeline order them.
//
// The derive phase also runs some of these passes before it derives gradients (buildDerivePipeline). Two of them are
// variants that rewrite attention alone: attn-fold-views-into-attention and attn-fold-pair-formulas.
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

// Below, `emitters` are the code generators that the passes query, in the order of preference; they must outlive the
// passes. `target` is an argument of Target::resolve.

/// Creates `attn-form-contractions`. A sum over windows for which one of `emitters` has direct code does not become a
/// contraction.
std::unique_ptr<mlir::Pass> createFormContractionsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                                                       llvm::StringRef target = "native");
/// Create `attn-split-kernels` and `attn-pack-weights`.
std::unique_ptr<mlir::Pass> createSplitKernelsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                   llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createPackWeightsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                  llvm::StringRef target = "native");

/// Adds the passes that form kernels, for a builtin.module. If no emitter supports a kernel as a whole, or the one that
/// does has slow code (Emitter::hasFastForm), they split the kernel, if its kind permits this. Without emitters they do
/// not query support.
void buildKernelsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// Adds the pass that packs weights in the layouts that the emitters of kernels require (without emitters no weight is
/// packed), and the one that records why edges are not fused. Runs after the passes of buildKernelsPipeline.
void buildWeightsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// Adds both parts. The compile itself (compiler/Pipeline) calls the two functions above, and applies a strategy's
/// choice of emitters between them.
void buildFusePipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                       llvm::StringRef target = "native");

/// Adds the implementations of upstream interfaces (tiling, type inference) that the passes use to `registry`.
void registerFuseInterfaces(mlir::DialectRegistry &registry);

/// Registers the passes, and the pipeline `attn-fuse` (without emitters, so no weight is packed), for attn-opt.
/// `emitters` must outlive every use of the passes.
void registerFusePasses(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

} // namespace attnc
