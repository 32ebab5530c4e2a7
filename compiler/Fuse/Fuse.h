//===- Fuse.h - from tensor computations to kernels -------------------------------------------------------------===//
//
// The fuse phase turns an imported module into kernels and entry points that only call them (docs/architecture.md).
// The passes run in this order, each usable alone as `attn-opt --<flag>`:
//
//   attn-hold-scores         attention that a strategy refuses becomes plain tensor code
//   attn-resolve-sizes       every size is arithmetic on the dimensions of the arguments
//   attn-widen-turns         what a recurrence does not depend on is computed for all its time steps at once
//   attn-raise-views         generics that only move elements become slice, expand, transpose, collapse
//   attn-narrow-slices       only the used part of a tensor is computed
//   attn-fold-views          views are read in place by subscripts and indexing maps; attend writes in its reader's way
//   attn-fuse-pointwise      chains of pointwise ops become one
//   attn-fold-formulas       pointwise tensors are computed inside the attend or generic that reads them
//   attn-lift-gathers        what is picked by data out of rows is read beside the reductions of the rows
//   attn-form-contractions   contractions become [batch,] M x K . K x N, with an epilogue
//   attn-form-rows           reductions over the last dimension and what runs over the same rows belong together
//   attn-outline-kernels     each group of ops becomes a private function, and so does each op left over
//   attn-split-kernels       groups that no emitter takes whole are taken apart
//   attn-order-updates       a parameter gets its next value after all that reads the one before
//   attn-share-kernels       kernels of the same structure become one
//   attn-keep-exact          marks arithmetic whose last bit decides, which emitters then compute op by op
//   attn-pack-weights        says which weights arrive packed
//   attn-explain-edges       records why each edge between kernels was not fused
//
// Between them, and in other phases, attn-share-values computes equal values once.
//
// Two of them have a part that runs before derive, for attention alone: attn-fold-views-into-attention and
// attn-fold-pair-formulas. attn-widen-turns runs there too, so that gradients are derived from its result.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

std::unique_ptr<mlir::Pass> createHoldScoresPass();
std::unique_ptr<mlir::Pass> createResolveSizesPass();
std::unique_ptr<mlir::Pass> createWidenTurnsPass();
std::unique_ptr<mlir::Pass> createRaiseViewsPass();
std::unique_ptr<mlir::Pass> createFoldViewsPass();
std::unique_ptr<mlir::Pass> createFoldViewsIntoAttentionPass();
std::unique_ptr<mlir::Pass> createNarrowSlicesPass();
std::unique_ptr<mlir::Pass> createFusePointwisePass();
std::unique_ptr<mlir::Pass> createFoldFormulasPass();
std::unique_ptr<mlir::Pass> createFoldPairFormulasPass();
std::unique_ptr<mlir::Pass> createLiftGathersPass();
/// Sums over windows stay where one of `emitters`, which must outlive the pass, wants them as they stand.
std::unique_ptr<mlir::Pass> createFormContractionsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters = {},
                                                       llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createFormRowsPass();
std::unique_ptr<mlir::Pass> createOutlineKernelsPass();
/// `target` as Target::resolve takes it. `emitters` must outlive the pass.
std::unique_ptr<mlir::Pass> createSplitKernelsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                   llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createOrderUpdatesPass();
std::unique_ptr<mlir::Pass> createShareKernelsPass();
std::unique_ptr<mlir::Pass> createShareValuesPass();
std::unique_ptr<mlir::Pass> createKeepExactPass();
std::unique_ptr<mlir::Pass> createPackWeightsPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters,
                                                  llvm::StringRef target = "native");
std::unique_ptr<mlir::Pass> createExplainEdgesPass();

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
