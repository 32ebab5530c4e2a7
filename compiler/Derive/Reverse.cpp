#include "compiler/Derive/Reverse.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

/// The tensors that an op reads: operands and captures of its regions, each once, in program order.
static SmallVector<Value> tensorsReadBy(Operation *op) {
  SetVector<Value> tensors;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !op->isAncestor(operand.getParentRegion()->getParentOp()))
        tensors.insert(operand);
  });
  return tensors.takeVector();
}

void BlockCotangents::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      propagateThrough(loop);
      continue;
    }
    if (isa<attn::StopOp>(op))
      continue;
    if (auto get = dyn_cast<model::GetOp>(op)) {
      auto *parameter = SymbolTable::lookupNearestSymbolFrom(get, get.getParameterAttr());
      if (requested.contains(parameter))
        active.insert(get.getResult());
      continue;
    }
    if (llvm::none_of(tensorsReadBy(op), [&](Value tensor) { return isActive(tensor); }))
      continue;
    for (Value result : op->getResults())
      if (isReal(result))
        active.insert(result);
  }
}

/// Activates the carried values that depend on an active value after any number of iterations.
void BlockCotangents::propagateThrough(scf::ForOp loop) {
  SmallVector<Operation *> body;
  for (Operation &op : loop.getBody()->without_terminator())
    body.push_back(&op);
  for (bool changed = true; changed;) {
    changed = false;
    propagate(body);
    for (auto [argument, init, next] : llvm::zip(loop.getRegionIterArgs(), loop.getInits(), loop.getYieldedValues()))
      if (isReal(argument) && !isActive(argument) && (isActive(init) || isActive(next)))
        changed = active.insert(argument).second;
  }
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (isActive(argument))
      active.insert(result);
}

void BlockCotangents::addTerm(Value value, Value term) {
  if (!isActive(value))
    return;
  Value &total = sums[computed(value)];
  total = total ? addElementwise(builder, value.getLoc(), total, term) : term;
}

void BlockCotangents::addParameterTerm(const ParameterElement &element, Value term) {
  for (auto &[other, total] : parameterTerms)
    if (other.parameter == element.parameter && other.indices == element.indices) {
      total = addElementwise(builder, term.getLoc(), total, term);
      return;
    }
  parameterTerms.emplace_back(element, term);
}

void BlockCotangents::addElementTerm(model::ElementOp op, Value term) {
  Value list = op.getList();
  if (!collected.contains(list))
    return addTerm(list, oneElementList(builder, op.getLoc(), term, op.getPlace(), list));
  for (ElementTerm &each : elementTerms)
    if (each.list == list && each.elementIndex == op.getPlace()) {
      each.term = addElementwise(builder, op.getLoc(), each.term, term);
      return;
    }
  elementTerms.push_back({list, op.getPlace(), term});
}

//===- Parameters and lists ---------------------------------------------------------------------------------------===//

static LogicalResult applyRule(BlockCotangents &block, model::GetOp op) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(op, op.getParameterAttr());
  block.addParameterTerm({parameter, SmallVector<Value>(op.getIndices())}, block.cotangent(op.getResult()));
  return success();
}

static LogicalResult applyRule(BlockCotangents &block, model::ElementOp op) {
  block.addElementTerm(op, block.cotangent(op.getResult()));
  return success();
}

/// The element's cotangent is the list's at its index; the previous list's cotangent is zero there.
static LogicalResult applyRule(BlockCotangents &block, model::WithElementOp op) {
  Value dy = block.cotangent(op.getResult());
  block.addTerm(op.getElement(),
                model::ElementOp::create(block.builder, op.getLoc(), op.getElement().getType(), dy, op.getPlace()));
  if (!block.isActive(op.getList()))
    return success();
  return op.emitError(
      "no gradient passes here: other elements of the list are read in the same iteration [no-gradient]");
}

//===- Views -----------------------------------------------------------------------------------------------------===//

static LogicalResult applyRule(BlockCotangents &block, linalg::TransposeOp op) {
  OpBuilder &builder = block.builder;
  Location at = op.getLoc();
  Value dy = block.cotangent(op->getResult(0));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, op.getInput());
  Value empty = tensor::EmptyOp::create(builder, at, sizes, builder.getF32Type());
  SmallVector<int64_t> inverse = invertPermutationVector(op.getPermutation());
  block.addTerm(op.getInput(), linalg::TransposeOp::create(builder, at, dy, empty, inverse)->getResult(0));
  return success();
}

static LogicalResult applyRule(BlockCotangents &block, tensor::ExpandShapeOp op) {
  Value dy = block.cotangent(op.getResult());
  block.addTerm(op.getSrc(), tensor::CollapseShapeOp::create(block.builder, op.getLoc(), op.getSrcType(), dy,
                                                             op.getReassociationIndices()));
  return success();
}

static LogicalResult applyRule(BlockCotangents &block, tensor::CollapseShapeOp op) {
  OpBuilder &builder = block.builder;
  Value dy = block.cotangent(op.getResult());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, op.getLoc(), op.getSrc());
  block.addTerm(op.getSrc(), tensor::ExpandShapeOp::create(builder, op.getLoc(), op.getSrcType(), dy,
                                                           op.getReassociationIndices(), sizes));
  return success();
}

static LogicalResult applyRule(BlockCotangents &block, tensor::CastOp op) {
  block.addTerm(op.getSource(), tensor::CastOp::create(block.builder, op.getLoc(), op.getSource().getType(),
                                                       block.cotangent(op.getDest())));
  return success();
}

static LogicalResult applyRule(BlockCotangents &block, tensor::ConcatOp op) {
  OpBuilder &builder = block.builder;
  Location at = op.getLoc();
  Value dy = block.cotangent(op.getResult());
  int64_t rank = op.getResultType().getRank(), along = op.getDim();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1), offset = zero;
  for (Value part : op.getInputs()) {
    SmallVector<OpFoldResult> offsets(rank, zero), strides(rank, one);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, part);
    offsets[along] = offset;
    block.addTerm(part, tensor::ExtractSliceOp::create(builder, at, cast<RankedTensorType>(part.getType()), dy, offsets,
                                                       sizes, strides));
    AffineExpr a = builder.getAffineSymbolExpr(0), b = builder.getAffineSymbolExpr(1);
    offset = affine::makeComposedFoldedAffineApply(builder, at, a + b, {offset, sizes[along]});
  }
  return success();
}

/// The cotangent of the source of a slice along one dimension: the slice's cotangent, padded with zeros. It reads no
/// element outside of the slice. Null for other slices, or if the offset is unknown.
static Value paddedCotangent(BlockCotangents &block, tensor::ExtractSliceOp op) {
  OpBuilder &builder = block.builder;
  Location at = op.getLoc();
  SymbolicShapes shapes(op->getParentOfType<func::FuncOp>());
  if (!op.hasUnitStride() || op.getDroppedDims().any())
    return {};
  int64_t along = 0;
  unsigned sliced = 0;
  for (int64_t dimension = 0; dimension < op.getSourceType().getRank(); ++dimension)
    if (!(shapes.size(op.getMixedSizes()[dimension]) == shapes.extent(op.getSource(), dimension))) {
      along = dimension;
      ++sliced;
    }
  if (sliced > 1 || op.getSourceType().getRank() == 0)
    return {};
  SizeExpr offset = shapes.size(op.getMixedOffsets()[along]), count = shapes.size(op.getMixedSizes()[along]);
  SizeExpr behind = shapes.extent(op.getSource(), along) - offset - count;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, op.getSource());
  SmallVector<Value> parts = {block.cotangent(op.getResult())};
  auto zeros = [&](Value elements) {
    sizes[along] = getAsOpFoldResult(elements);
    return zerosLike(builder, at, tensor::EmptyOp::create(builder, at, sizes, builder.getF32Type()));
  };
  Value before = shapes.materialise(builder, at, offset), after = shapes.materialise(builder, at, behind);
  if (!before || !after)
    return {};
  if (!(offset == SizeExpr(0)))
    parts.insert(parts.begin(), zeros(before));
  if (!(behind == SizeExpr(0)))
    parts.push_back(zeros(after));
  Value whole = parts.size() == 1 ? parts[0] : tensor::ConcatOp::create(builder, at, along, parts).getResult();
  if (whole.getType() != op.getSourceType())
    whole = tensor::CastOp::create(builder, at, op.getSourceType(), whole);
  return whole;
}

/// For each element of the source, the cotangent of the slice's element, or zero outside of the slice.
static LogicalResult applyRule(BlockCotangents &block, tensor::ExtractSliceOp op) {
  OpBuilder &builder = block.builder;
  Location at = op.getLoc();
  if (Value padded = paddedCotangent(block, op)) {
    block.addTerm(op.getSource(), padded);
    return success();
  }
  if (!op.hasUnitStride())
    return op.emitError("no gradient passes here: its slice has a stride [no-gradient]");
  Value dy = block.cotangent(op.getResult());
  auto type = op.getSourceType();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value empty =
      tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, op.getSource()), type.getElementType());
  SmallVector<Value> offsets, sizes;
  for (OpFoldResult each : op.getMixedOffsets())
    offsets.push_back(getValueOrCreateConstantIndexOp(builder, at, each));
  for (OpFoldResult each : op.getMixedSizes())
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, at, each));
  auto body = [&](OpBuilder &inner, Location, ValueRange) {
    Value zero = arith::ConstantIndexOp::create(inner, at, 0), isInside;
    SmallVector<Value> subscripts;
    for (int64_t each = 0; each < type.getRank(); ++each) {
      Value position = arith::SubIOp::create(inner, at, linalg::IndexOp::create(inner, at, each), offsets[each]);
      Value from = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::sge, position, zero);
      Value to = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::slt, position, sizes[each]);
      Value both = arith::AndIOp::create(inner, at, from, to);
      isInside = isInside ? arith::AndIOp::create(inner, at, isInside, both).getResult() : both;
      if (!dropped[each])
        subscripts.push_back(arith::SelectOp::create(inner, at, both, position, zero));
    }
    Value element = tensor::ExtractOp::create(inner, at, dy, subscripts);
    Value nothing = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(0));
    Value chosen = isInside ? arith::SelectOp::create(inner, at, isInside, element, nothing).getResult() : element;
    linalg::YieldOp::create(inner, at, chosen);
  };
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto identity = AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
  block.addTerm(op.getSource(), linalg::GenericOp::create(builder, at, empty.getType(), ValueRange(), empty,
                                                          ArrayRef<AffineMap>{identity}, loops, body)
                                    .getResult(0));
  return success();
}

//===- All rules --------------------------------------------------------------------------------------------------===//

static LogicalResult applyRuleOf(Operation *op, BlockCotangents &block, ResidualChoice &choice) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<linalg::GenericOp, linalg::TransposeOp, attn::AttendOp, model::GetOp, model::ElementOp,
            model::WithElementOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp,
            tensor::ConcatOp, tensor::CastOp>([&](auto each) { return applyRule(block, each); })
      .Case([&](scf::ForOp loop) { return applyRule(block, loop, choice); })
      .Case<tensor::EmptyOp, linalg::FillOp>([](auto) { return success(); })
      .Default(
          [](Operation *other) -> LogicalResult { return other->emitError("no gradient passes here [no-gradient]"); });
}

LogicalResult reverse(BlockCotangents &block, ArrayRef<Operation *> ops, ResidualChoice &choice) {
  for (Operation *op : llvm::reverse(ops)) {
    bool reached = llvm::any_of(op->getResults(), [&](Value result) { return bool(block.cotangent(result)); });
    if (reached && failed(applyRuleOf(op, block, choice)))
      return failure();
  }
  return success();
}

} // namespace attnc
