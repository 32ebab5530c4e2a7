#include "compiler/Derive/Incremental/BeginWriter.h"

using namespace mlir;

namespace attnc {

bool BeginWriter::isPrecomputed(Value value) {
  PositionFact fact = analysis.fact(value);
  return fact.along == PositionFact::Along::Nothing && !fact.perRow && !dims.positionDim(value);
}

Port BeginWriter::precomputedPort(const RetainedValue &given) {
  SmallVector<std::string> shape;
  for (const SizeExpr &extent : dims.shapes.shape(given.value))
    shape.push_back(dims.shapes.text(extent));
  return {listOf(given, cast<RankedTensorType>(given.value.getType())), given.name, listShape(given, shape)};
}

void BeginWriter::write() {
  SmallVector<Port> arguments, results;
  SmallVector<BlockArgument> copied;
  for (BlockArgument argument : old.getArguments())
    if (isPrecomputed(argument)) {
      copied.push_back(argument);
      arguments.push_back(port(argument));
    }
  create(arguments, oldDimensions());
  for (auto [argument, copy] : llvm::zip_equal(copied, result.getArguments()))
    values.map(argument, copy);
  for (const RetainedValue &given : plan.given) {
    Value list;
    if (!given.loops.empty()) {
      SmallVector<Value> sizes;
      for (const SizeExpr &extent : dims.shapes.shape(given.value))
        if (!extent.isConstant())
          sizes.push_back(size(extent, given.value.getLoc()));
      RankedTensorType type = listOf(given, cast<RankedTensorType>(given.value.getType()));
      list = tensor::EmptyOp::create(builder, given.value.getLoc(), type.getShape(), type.getElementType(), sizes);
    }
    lists.push_back(list);
  }
  writeBlock(old.front());
  for (auto [given, list] : llvm::zip_equal(plan.given, lists)) {
    results.push_back(precomputedPort(given));
    if (!list)
      list = values.lookup(given.value);
  }
  finish(results, lists);
}

void BeginWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      writeLoop(loop);
    else if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      writeScalar(op);
    else if (llvm::all_of(op.getResults(), [&](Value result) { return isPrecomputed(result); }) && isKnown(op))
      builder.clone(op, values);
  }
}

void BeginWriter::writeLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  SmallVector<unsigned> carried, retained;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isPrecomputed(argument)) {
      carried.push_back(number);
      inits.push_back(values.lookup(loop.getInits()[number]));
    }
  for (auto [number, given] : llvm::enumerate(plan.given))
    if (isIn(given, loop)) {
      retained.push_back(number);
      inits.push_back(lists[number]);
    }
  if (inits.empty())
    return;
  auto copy = scf::ForOp::create(builder, loop.getLoc(), values.lookup(loop.getLowerBound()),
                                 values.lookup(loop.getUpperBound()), values.lookup(loop.getStep()), inits);
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  values.map(loop.getInductionVar(), copy.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  SmallVector<Value> next;
  for (auto [position, number] : llvm::enumerate(carried))
    values.map(loop.getRegionIterArg(number), copy.getRegionIterArg(position));
  for (auto [position, number] : llvm::enumerate(retained))
    lists[number] = copy.getRegionIterArg(carried.size() + position);
  writeBlock(*loop.getBody());
  for (unsigned number : carried)
    next.push_back(values.lookup(loop.getYieldedValues()[number]));
  for (unsigned number : retained) {
    const RetainedValue &given = plan.given[number];
    if (given.loops.back() == loop)
      lists[number] = model::WithElementOp::create(builder, given.value.getLoc(), lists[number].getType(),
                                                   values.lookup(given.value), lists[number],
                                                   elementIndex(given, given.value.getLoc()));
    next.push_back(lists[number]);
  }
  scf::YieldOp::create(builder, loop.getLoc(), next);
  for (auto [position, number] : llvm::enumerate(carried))
    values.map(loop.getResult(number), copy.getResult(position));
  for (auto [position, number] : llvm::enumerate(retained))
    lists[number] = copy.getResult(carried.size() + position);
}

} // namespace attnc
