#include "compiler/Fuse/WideOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace attnc {

bool isOutside(Value value, scf::ForOp loop) { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }

/// Returns the initial value of the op's elements if it is one scalar.
static Value startOf(linalg::GenericOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill ? fill.getInputs()[0] : Value();
}

static bool readsStart(linalg::GenericOp op) {
  return !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty();
}

bool canWiden(linalg::GenericOp op, scf::ForOp loop) {
  if (op.getNumResults() != 1 || op.getNumDpsInputs() == 0)
    return false;
  Value start = startOf(op);
  if (readsStart(op) && (!start || !isOutside(start, loop)))
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  return llvm::all_of(captured, [&](Value value) { return isOutside(value, loop); });
}

/// Clones the body; loop number `iterations` of the wide op is the loop over iterations.
static void cloneBody(linalg::GenericOp op, linalg::GenericOp wide, unsigned iterations) {
  IRMapping mapping;
  op.getRegion().cloneInto(&wide.getRegion(), mapping);
  wide.walk([&](linalg::IndexOp index) {
    if (index.getDim() >= iterations)
      index.setDim(index.getDim() + 1);
  });
}

Value widen(OpBuilder &builder, linalg::GenericOp op, ArrayRef<WideOperand> inputs, scf::ForOp loop,
            SymbolicShapes &shapes) {
  Value init = emptyList(builder, shapes, op.getResult(0), loop);
  if (!init)
    return {};
  if (readsStart(op))
    init = linalg::FillOp::create(builder, op.getLoc(), startOf(op), init).getResult(0);
  unsigned loops = op.getNumLoops() + 1;
  auto wideMap = [&](AffineMap map, bool isList) {
    map = map.shiftDims(1);
    SmallVector<AffineExpr> results(map.getResults());
    if (isList)
      results.insert(results.begin(), builder.getAffineDimExpr(0));
    return AffineMap::get(loops, 0, results, builder.getContext());
  };
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (auto [input, operand] : llvm::zip_equal(inputs, op.getDpsInputOperands())) {
    values.push_back(input.value);
    maps.push_back(wideMap(op.getMatchingIndexingMap(operand), input.isList));
  }
  maps.push_back(wideMap(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), true));
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
  llvm::append_range(iterators, op.getIteratorTypesArray());
  auto wide = linalg::GenericOp::create(builder, op.getLoc(), init.getType(), values, init, maps, iterators);
  cloneBody(op, wide, 0);
  return wide.getResult(0);
}

Value widenToSum(OpBuilder &builder, linalg::GenericOp op, ArrayRef<WideOperand> inputs, SymbolicShapes &shapes) {
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  SmallVector<Value> sizes;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (type.isDynamicDim(dimension)) {
      sizes.push_back(shapes.materialise(builder, op.getLoc(), shapes.extent(op.getResult(0), dimension)));
      if (!sizes.back())
        return {};
    }
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), type.getElementType(), sizes);
  Value init = linalg::FillOp::create(builder, op.getLoc(), startOf(op), empty).getResult(0);
  // The iterations are the first reduction, because they are the leading dimension of the lists.
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned iterations = llvm::find(iterators, utils::IteratorType::reduction) - iterators.begin();
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<AffineExpr> renamed;
  for (unsigned number = 0; number < op.getNumLoops(); ++number)
    renamed.push_back(builder.getAffineDimExpr(number < iterations ? number : number + 1));
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (auto [input, operand] : llvm::zip_equal(inputs, op.getDpsInputOperands())) {
    SmallVector<AffineExpr> results;
    if (input.isList)
      results.push_back(builder.getAffineDimExpr(iterations));
    for (AffineExpr result : op.getMatchingIndexingMap(operand).getResults())
      results.push_back(result.replaceDims(renamed));
    values.push_back(input.value);
    maps.push_back(AffineMap::get(loops, 0, results, builder.getContext()));
  }
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  maps.push_back(out.replaceDimsAndSymbols(renamed, {}, loops, 0));
  iterators.insert(iterators.begin() + iterations, utils::IteratorType::reduction);
  auto wide = linalg::GenericOp::create(builder, op.getLoc(), type, values, init, maps, iterators);
  cloneBody(op, wide, iterations);
  return wide.getResult(0);
}

} // namespace attnc
