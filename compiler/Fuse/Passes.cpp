#include "mlir/Transforms/Passes.h"
#include "compiler/Fuse/Fuse.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace attnc {

void buildKernelsPipeline(OpPassManager &passes, ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  passes.addPass(createMaterialiseScoresPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createResolveSizesPass());
  passes.addPass(createEliminateCommonValuesPass());
  // Hoists loop-invariant values, such as the angles of rotary positions.
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createBatchIterationsPass());
  passes.addPass(createRaiseViewsPass());
  passes.addPass(createNarrowSlicesPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createFoldViewsPass());
  passes.addPass(createFusePointwisePass());
  passes.addPass(createFoldFormulasPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createLiftGathersPass());
  passes.addPass(createFormContractionsPass(emitters, target));
  passes.addPass(createFormRowsPass());
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createOutlineKernelsPass());
  if (!emitters.empty())
    passes.addPass(createSplitKernelsPass(emitters, target));
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createOrderUpdatesPass());
  passes.addPass(createDeduplicateKernelsPass());
  passes.addPass(createKeepExactPass());
}

void buildWeightsPipeline(OpPassManager &passes, ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  if (!emitters.empty())
    passes.addPass(createPackWeightsPass(emitters, target));
  passes.addPass(createExplainEdgesPass());
}

void buildFusePipeline(OpPassManager &passes, ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  buildKernelsPipeline(passes, emitters, target);
  buildWeightsPipeline(passes, emitters, target);
}

void registerFuseInterfaces(DialectRegistry &registry) {
  linalg::registerTilingInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
}

#define GEN_PASS_REGISTRATION
#include "compiler/Fuse/Passes.h.inc"

void registerFusePasses(ArrayRef<std::unique_ptr<Emitter>> emitters) {
  registerFusePasses();
  registerPass([emitters] { return createFormContractionsPass(emitters); });
  registerPass([emitters] { return createSplitKernelsPass(emitters); });
  registerPass([emitters] { return createPackWeightsPass(emitters); });
  PassPipelineRegistration<>("attn-fuse", "the fuse phase: from tensor computations to kernels",
                             [](OpPassManager &passes) { buildFusePipeline(passes); });
}

} // namespace attnc
