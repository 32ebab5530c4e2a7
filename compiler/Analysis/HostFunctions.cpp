#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace attnc {

SmallVector<func::FuncOp> hostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!isKernel(function) && !function.isExternal())
      functions.push_back(function);
  return functions;
}

void eraseUnusedKernels(ModuleOp module) {
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (isKernel(kernel) && SymbolTable::symbolKnownUseEmpty(kernel, module))
      kernel.erase();
}

void removeUnused(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
}

} // namespace attnc
