#include "compiler/Codegen/Kernels/Loops/Computation.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace attnc {

namespace {

/// The reduction that `op`, the last of its kernel, is the epilogue of; null if it is not an epilogue.
linalg::GenericOp foldBefore(linalg::GenericOp op) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (auto fold = operand->get().getDefiningOp<linalg::GenericOp>())
      return fold;
  return {};
}

/// The computation of `kernel`, before its epilogue; null if the kernel only moves elements.
linalg::GenericOp computationOf(func::FuncOp kernel) {
  auto op = computedResults(kernel)[0].getDefiningOp<linalg::GenericOp>();
  linalg::GenericOp fold = op ? foldBefore(op) : op;
  return fold ? fold : op;
}

/// Collapses adjacent loops that are adjacent in all operands. `op` is in a copy of the kernel.
linalg::GenericOp collapseLoops(linalg::GenericOp op) {
  bool isFixed = false; // an index, or an epilogue over the same points, depends on the loops
  op.getRegion().walk([&](linalg::IndexOp) { isFixed = true; });
  isFixed |= bool(epilogueOf(op));
  // MLIR's types disagree on the product of zero and a dynamic size.
  if (isFixed || llvm::is_contained(op.getStaticLoopRanges(), 0))
    return op;
  SmallVector<ReassociationIndices> groups;
  auto iterators = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (!groups.empty() && iterators[dim] == iterators[dim - 1]) {
      ReassociationIndices joined = groups.back();
      joined.push_back(dim);
      if (linalg::areDimSequencesPreserved(maps, joined)) {
        groups.back() = joined;
        continue;
      }
    }
    groups.push_back({dim});
  }
  if (groups.size() == op.getNumLoops() || op.getNumLoops() == 0)
    return op;
  IRRewriter rewriter(op);
  auto collapsed = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp);
}

} // namespace

static bool isElementMove(Operation *op) {
  return isa<linalg::TransposeOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::CastOp, tensor::ConcatOp, linalg::FillOp, tensor::EmptyOp, tensor::DimOp, func::ReturnOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

linalg::GenericOp epilogueOf(linalg::GenericOp fold) {
  for (Operation *user : fold->getUsers())
    if (auto epilogue = dyn_cast<linalg::GenericOp>(user))
      return epilogue;
  return {};
}

/// Whether each element of the one result of `epilogue` depends on the same element of `fold` alone.
static bool isEpilogue(linalg::GenericOp epilogue, linalg::GenericOp fold) {
  return fold->getNumResults() == 1 && fold.getNumReductionLoops() != 0 && epilogue->getNumResults() == 1 &&
         epilogue.getNumReductionLoops() == 0 && epilogue.getRegionOutputArgs()[0].use_empty() &&
         epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(fold->getUses(), [&](OpOperand &use) {
           return use.getOwner() == epilogue && epilogue.isDpsInput(&use) &&
                  epilogue.getMatchingIndexingMap(&use).isIdentity();
         });
}

Verdict canEvaluateLoops(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (Verdict verdict = canVectorise(generic.getRegion()); !verdict)
        return verdict;
      for (OpOperand &init : generic.getDpsInitsMutable())
        if (!generic.getMatchingIndexingMap(&init).isProjectedPermutation())
          return Verdict::no("a result is written at computed subscripts");
    } else if (auto scatter = dyn_cast<attn::ScatterAddOp>(op)) {
      if (Verdict verdict = canVectorise(scatter.getBody()); !verdict)
        return verdict;
    } else if (!isElementMove(&op)) {
      return Verdict::no("it contains " + op.getName().getStringRef().str());
    }
  }
  SmallVector<Value> results = computedResults(kernel);
  auto last = results[0].getDefiningOp<linalg::GenericOp>();
  for (Value value : results)
    if (value.getDefiningOp<linalg::GenericOp>() != last)
      return Verdict::no("its results come from several operations");
  linalg::GenericOp fold = last ? foldBefore(last) : last;
  bool hasEpilogue = fold && isEpilogue(last, fold);
  if (llvm::range_size(kernel.getOps<linalg::GenericOp>()) > (hasEpilogue ? 2 : 1))
    return Verdict::no("it is more than one computation and an epilogue");
  return Verdict::yes();
}

linalg::GenericOp takeComputation(func::FuncOp kernel) {
  if (auto transpose = computedResults(kernel)[0].getDefiningOp<linalg::TransposeOp>();
      transpose && argumentOf(transpose.getInput()) && kernel.getNumResults() == 1) {
    IRRewriter rewriter(transpose);
    if (failed(linalg::generalizeNamedOp(rewriter, transpose)))
      return {};
  }
  linalg::GenericOp op = computationOf(kernel);
  return op ? collapseLoops(op) : op;
}

} // namespace attnc
