#include "compiler/Codegen/Kernels/Loops/Computation.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace attnc {

namespace {

/// The computation whose results `kernel` returns; null where it only moves elements.
linalg::GenericOp computationOf(func::FuncOp kernel) {
  return computedResults(kernel)[0].getDefiningOp<linalg::GenericOp>();
}

/// Adjacent loops that all operands walk in step become one. Works on a copy of the kernel, in a module of its own.
linalg::GenericOp collapseLoops(linalg::GenericOp op) {
  bool counts = false;
  op.getRegion().walk([&](linalg::IndexOp) { counts = true; });
  // MLIR's types disagree on the product of zero and a size that is not known.
  if (counts || llvm::is_contained(op.getStaticLoopRanges(), 0))
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

Verdict canEvaluateLoops(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (Verdict verdict = RegionVectoriser::canEvaluate(generic.getRegion()); !verdict)
        return verdict;
      for (OpOperand &init : generic.getDpsInitsMutable())
        if (!generic.getMatchingIndexingMap(&init).isProjectedPermutation())
          return Verdict::no("a result is written at computed subscripts");
    } else if (auto scatter = dyn_cast<attn::ScatterAddOp>(op)) {
      if (Verdict verdict = RegionVectoriser::canEvaluate(scatter.getBody()); !verdict)
        return verdict;
    } else if (!isElementMove(&op)) {
      return Verdict::no("it holds " + op.getName().getStringRef().str());
    }
  }
  for (Value value : computedResults(kernel))
    if (value.getDefiningOp<linalg::GenericOp>() != computationOf(kernel))
      return Verdict::no("its results come from several operations");
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
