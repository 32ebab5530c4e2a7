//===- ResolveSizes.cpp - attn-resolve-sizes ----------------------------------------------------------------------===//
//
// Makes every size arithmetic on the dimensions of the function's arguments, so that no computation is kept alive, or
// kept apart, by a question for its shape.
//
// Needs: an imported module. Leaves: `tensor.dim` of function arguments only, at the top of each function.
//
//   %y = linalg.generic ins(%x : tensor<?x8xf32>) ...            %n = tensor.dim %x, 0
//   %n = tensor.dim %y, 0                                  →     %y = linalg.generic ins(%x : tensor<?x8xf32>) ...
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"

using namespace mlir;

namespace attnc {
namespace {

struct ResolveSizes : PassWrapper<ResolveSizes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResolveSizes)
  StringRef getArgument() const final { return "attn-resolve-sizes"; }
  StringRef getDescription() const final { return "write sizes as arithmetic on the dimensions of the arguments"; }

  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation()))
      resolveSizes(function);
  }
};

} // namespace

std::unique_ptr<Pass> createResolveSizesPass() { return std::make_unique<ResolveSizes>(); }

} // namespace attnc
