//===- FormRows.cpp - attn-form-rows ------------------------------------------------------------------------------===//
//
// Groups ops that are computed row by row: reductions over the last dimension and the ops around them over the same
// rows (norms, softmax, cross entropy, argmax).
//
// Precondition: contractions are marked (attn-form-contractions). Postcondition: such ops are marked as groups of kind
// "rows". All ops of a group have the same leading loops; an op reads only the same row of another op's result; rows
// that ops exchange fit in the scratch of a worker.
//
//   %m = generic max_k x[b, s, k]                    %x2 = collapse %x  [b * s, k]
//   %e = generic exp(x[b, s, k] - m[b, s])           %m = generic max_k x2[r, k]          {attn.group = [0, "rows"]}
//   %s = generic sum_k e[b, s, k]              →     %e = generic exp(x2[r, k] - m[r])    {attn.group = [0, "rows"]}
//   %p = generic e[b, s, k] / s[b, s]                %s = generic sum_k e[r, k]           {attn.group = [0, "rows"]}
//                                                    %p2 = generic e[r, k] / s[r]         {attn.group = [0, "rows"]}
//                                                    %p = expand %p2
//
// If the row loops are adjacent in all operands, they are collapsed to one loop, so that equal kernels are merged for
// any number of row dimensions.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Legality.h"
#include "compiler/Fuse/Regroup.h"
#include "compiler/Fuse/RowGroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_FORMROWSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

struct FormRows : impl::FormRowsPassBase<FormRows> {
  void runOnOperation() override {
    FrozenRewritePatternSet reshapes = reshapePatterns(&getContext());
    for (func::FuncOp function : hostFunctions(getOperation())) {
      SymbolicShapes shapes(function);
      SmallVector<linalg::GenericOp> seeds;
      function.walk([&](linalg::GenericOp op) {
        if (op.getNumReductionLoops() != 0)
          seeds.push_back(op);
      });
      RowGroup::Groups groups = groupsIn(function);
      int64_t next = nextGroupNumber(function);
      // Seeds were collected before any group; collapsing replaces members, so replaced seeds are skipped.
      llvm::DenseSet<Operation *> taken;
      for (linalg::GenericOp seed : seeds)
        if (!taken.contains(seed) && !groupOf(seed) && seed.getNumLoops() > 1 && rowRole(seed, seed.getNumLoops() - 1))
          form({next++, KernelKind::Rows}, seed, shapes, groups, taken);
      if (failed(applyPatternsGreedily(function, reshapes)))
        return signalPassFailure();
    }
  }

  void form(GroupMark mark, linalg::GenericOp seed, SymbolicShapes &shapes, RowGroup::Groups &groups,
            llvm::DenseSet<Operation *> &taken) {
    RowGroup group(seed, shapes, groups);
    group.grow();
    if (group.members().size() == 1 && group.hasShortRows())
      return;
    for (linalg::GenericOp member : group.members()) {
      markGroup(member, mark);
      taken.insert(member);
      for (Value result : member.getResults())
        if (Operation *reader = group.readerOf(result))
          recordDecision(getOperation(), {true,
                                          Reason::RowsFused,
                                          placeOf(member),
                                          placeOf(reader),
                                          shapes.text(shapes.bytes(result)),
                                          seed->getParentOfType<func::FuncOp>().getName().str(),
                                          false,
                                          {}});
    }
    groups[mark.number] = group.collapseRows();
  }
};

} // namespace

} // namespace attnc
