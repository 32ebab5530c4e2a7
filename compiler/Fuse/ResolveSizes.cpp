//===- ResolveSizes.cpp - attn-resolve-sizes ----------------------------------------------------------------------===//
//
// Rewrites every size to arithmetic on the dimensions of the function's arguments, so that no query of a shape prevents
// dead-code elimination or fusion.
//
// Precondition: an imported module. Postcondition: `tensor.dim` only of function arguments, at the top of each
// function.
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

#define GEN_PASS_DEF_RESOLVESIZESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

struct ResolveSizes : impl::ResolveSizesPassBase<ResolveSizes> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation()))
      resolveSizes(function);
  }
};

} // namespace

} // namespace attnc
