//===- Fuse.h - the fuse phase: tensor computations to kernels --------------------------------------------------===//
//
// The fuse phase turns an imported module into kernels and entry points that only call them (docs/architecture.md).
// docs/passes.md lists the passes, Passes.td and EmitterPasses.td define them; buildKernelsPipeline and
// buildWeightsPipeline have their order.
//
// Two of them have a part that runs before derive, for attention alone: attn-fold-views-into-attention and
// attn-fold-pair-formulas. attn-batch-iterations runs there too, so that gradients are derived from its result.
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

/// Sums over windows that one of `emitters` supports as they are do not become contractions. `emitters` must outlive
/// the pass.
std::unique_ptr<mlir::Pass> createFormContractionsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                                                       llvm::StringRef target = "native");
/// `target` is an argument of Target::resolve. `emitters` must outlive the pass.
std::unique_ptr<mlir::Pass> createSplitKernelsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                   llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createPackWeightsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                  llvm::StringRef target = "native");

/// The phase up to kernels, for a builtin.module. One of `emitters` supports each kernel on `target`; without emitters
/// that is not checked. `emitters` must outlive the passes.
void buildKernelsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// The rest of the phase packs weights in the layouts that the kernels' emitters require; without emitters weights stay
/// plain.
void buildWeightsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// The whole phase. The pipeline of a compile applies a strategy's choice of emitters between its two parts.
void buildFusePipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                       llvm::StringRef target = "native");

/// Registers the upstream interfaces that the passes use, for a context without them.
void registerFuseInterfaces(mlir::DialectRegistry &registry);

/// Registers the passes, and the pipeline as `attn-fuse` (weights stay plain), for attn-opt. attn-split-kernels and
/// attn-pack-weights query `emitters`, which must outlive every use of the passes.
void registerFusePasses(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

} // namespace attnc
