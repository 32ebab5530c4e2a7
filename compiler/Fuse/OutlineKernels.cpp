//===- OutlineKernels.cpp - attn-outline-kernels ------------------------------------------------------------------===//
//
// Outlines each group of ops to a private function, a kernel, and calls it.
//
// Precondition: groups are marked; any other op that computes a tensor becomes a group of its own here, of the kind
// with this root op (KernelKinds.def) or "loops". Postcondition: entry points contain calls of kernels, scf.for,
// model.get, free reshapes and size arithmetic. Sizes in a kernel are `tensor.dim` of an argument with that size,
// otherwise `index` arguments.
//
//   %m = generic max_k ...  {attn.group = [0, "rows"]}           %p = call @logits_rows_0(%x)
//   %p = generic ...        {attn.group = [0, "rows"]}     →
//                                                                func.func private @logits_rows_0(%x) attributes
//                                                                  {attn.kernel = "rows"} { %m = ... %p = ... return %p
//                                                                  }
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Outliner.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

struct OutlineKernels : impl::OutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : hostFunctions(getOperation())) {
      separateStarts(function);
      markTheRest(function);
      outlineGroups(function, symbols);
    }
  }

  /// Clones initial values for each op, even if another op uses an equal tensor, so that the kernel creates its own.
  static void separateStarts(func::FuncOp function) {
    SmallVector<OpOperand *> starts;
    function.walk([&](linalg::LinalgOp op) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (auto fill = init.get().getDefiningOp<linalg::FillOp>(); fill && computesTensor(fill))
          starts.push_back(&init);
    });
    for (OpOperand *start : starts) {
      OpBuilder builder(start->getOwner());
      start->set(builder.clone(*start->get().getDefiningOp())->getResult(0));
    }
  }

  static KernelKind kindOf(Operation *op) {
    return findKernelKindByRoot(op->getName().getStringRef()).value_or(KernelKind::Loops);
  }

  static void markTheRest(func::FuncOp function) {
    int64_t next = nextGroupNumber(function);
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!computesTensor(op) || groupOf(op))
        return;
      if (op->getBlock()->getParentOp() != function && !isa<scf::ForOp>(op->getBlock()->getParentOp()))
        return;
      markGroup(op, {next++, kindOf(op)});
    });
  }
};

} // namespace

} // namespace attnc
