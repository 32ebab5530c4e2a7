#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

SmallVector<func::FuncOp> hostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!isKernel(function) && !function.isExternal())
      functions.push_back(function);
  return functions;
}

void eraseUnused(ModuleOp module, llvm::function_ref<bool(func::FuncOp)> mayErase) {
  SymbolTableCollection symbols;
  SymbolUserMap users(symbols, module); // one walk of the module for all functions
  llvm::SmallSetVector<Operation *, 16> unused;
  auto isUnused = [&](Operation *user) {
    return unused.contains(user) || unused.contains(user->getParentOfType<func::FuncOp>());
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (mayErase(function) && llvm::all_of(users.getUsers(function), isUnused))
      unused.insert(function);
  for (Operation *function : unused)
    function->erase();
}

void eraseUnusedKernels(ModuleOp module) { eraseUnused(module, isKernel); }

void removeUnused(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
}

} // namespace attnc
