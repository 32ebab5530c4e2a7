//===- Fuse.h - from tensor computations to kernels -------------------------------------------------------------===//
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

/// Sums over windows stay where one of `emitters`, which must outlive the pass, wants them as they stand.
std::unique_ptr<mlir::Pass> createFormContractionsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                                                       llvm::StringRef target = "native");
/// `target` as Target::resolve takes it. `emitters` must outlive the pass.
std::unique_ptr<mlir::Pass> createSplitKernelsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                   llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createPackWeightsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                  llvm::StringRef target = "native");

/// The phase up to kernels, for a builtin.module. Kernels are such as one of `emitters`, which must outlive the passes,
/// takes on `target`; where there are none, nobody is asked.
void buildKernelsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// The rest of it: weights are packed as the kernels' emitters want them; where there are none, weights stay plain.
void buildWeightsPipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                          llvm::StringRef target = "native");
/// The whole phase. In between, a strategy says which emitter has a kernel.
void buildFusePipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                       llvm::StringRef target = "native");

/// The upstream interfaces that the passes use, for a context that was not given all of them.
void registerFuseInterfaces(mlir::DialectRegistry &registry);

/// Makes the passes above, and the pipeline as `attn-fuse` (weights stay plain), known to attn-opt. `emitters`, which
/// must outlive every use of the passes, are those that attn-split-kernels and attn-pack-weights ask.
void registerFusePasses(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

} // namespace attnc
