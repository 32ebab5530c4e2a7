#include "compiler/Derive/Reverse.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

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

/// The scatter that computes `value`, if it starts from zeros and has no other user.
static attn::ScatterAddOp scatterFromZeros(Value value) {
  auto scatter = value.getDefiningOp<attn::ScatterAddOp>();
  auto fill = scatter && value.use_empty() ? scatter.getInit().getDefiningOp<linalg::FillOp>() : nullptr;
  return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ? scatter : nullptr;
}

Value Reverse::sum(OpBuilder &builder, Location location, Value a, Value b) {
  // The scatter adds to the other term directly.
  for (auto [scattered, other] : {std::pair(b, a), std::pair(a, b)})
    if (auto scatter = scatterFromZeros(scattered); scatter && scatter->getBlock() == builder.getInsertionBlock()) {
      scatter->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      scatter.getInitMutable().assign(other);
      return scattered;
    }
  auto type = cast<RankedTensorType>(a.getType());
  auto map = AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, a), type.getElementType());
  return linalg::GenericOp::create(builder, location, empty.getType(), ValueRange{a, b}, empty,
                                   ArrayRef<AffineMap>{map, map, map}, loops,
                                   [](OpBuilder &inner, Location at, ValueRange v) {
                                     Value total = arith::AddFOp::create(inner, at, v[0], v[1]);
                                     linalg::YieldOp::create(inner, at, total);
                                   })
      .getResult(0);
}

Value Reverse::zerosLike(OpBuilder &builder, Location location, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, like), type.getElementType());
  Value zero = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
  return linalg::FillOp::create(builder, location, zero, empty).getResult(0);
}

Value Reverse::oneElementList(OpBuilder &builder, Location location, Value element, Value elementIndex, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, like), type.getElementType());
  AffineMap whole = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange elements) {
    Value here = linalg::IndexOp::create(inner, at, 0);
    Value isPlace = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, here, elementIndex);
    Value zero = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(0));
    linalg::YieldOp::create(inner, at, arith::SelectOp::create(inner, at, isPlace, elements[0], zero).getResult());
  };
  return linalg::GenericOp::create(builder, location, empty.getType(), element, empty,
                                   ArrayRef<AffineMap>{whole.dropResult(0), whole}, loops, body)
      .getResult(0);
}

void Reverse::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      propagateThrough(loop);
      continue;
    }
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
void Reverse::propagateThrough(scf::ForOp loop) {
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

void Reverse::addTerm(Value value, Value term) {
  if (!isActive(value))
    return;
  Value &total = sums[computed(value)];
  total = total ? sum(builder, value.getLoc(), total, term) : term;
}

Value Reverse::cotangent(Value value) { return sums.lookup(computed(value)); }

void Reverse::addParameterTerm(const ParameterElement &element, Value term) {
  for (auto &[other, total] : parameterTerms)
    if (other.parameter == element.parameter && other.indices == element.indices) {
      total = sum(builder, term.getLoc(), total, term);
      return;
    }
  parameterTerms.emplace_back(element, term);
}

LogicalResult Reverse::run(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    bool reached = llvm::any_of(op->getResults(), [&](Value result) { return bool(cotangent(result)); });
    if (reached && failed(reverse(op)))
      return failure();
  }
  return success();
}

LogicalResult Reverse::reverse(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<linalg::GenericOp, linalg::TransposeOp, attn::AttendOp, scf::ForOp, model::GetOp, model::ElementOp,
            model::WithElementOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp,
            tensor::ConcatOp, tensor::CastOp>([&](auto each) { return reverse(each); })
      .Case<tensor::EmptyOp, linalg::FillOp>([](auto) { return success(); })
      .Default(
          [](Operation *other) -> LogicalResult { return other->emitError("no gradient passes here [no-gradient]"); });
}

LogicalResult Reverse::reverse(model::GetOp op) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(op, op.getParameterAttr());
  addParameterTerm({parameter, SmallVector<Value>(op.getIndices())}, cotangent(op.getResult()));
  return success();
}

//===- Lists ------------------------------------------------------------------------------------------------------===//

LogicalResult Reverse::reverse(model::ElementOp op) {
  Value list = op.getList(), dy = cotangent(op.getResult());
  if (!collected.contains(list)) {
    addTerm(list, oneElementList(builder, op.getLoc(), dy, op.getPlace(), list));
    return success();
  }
  for (ElementTerm &each : elementTerms)
    if (each.list == list && each.elementIndex == op.getPlace()) {
      each.term = sum(builder, op.getLoc(), each.term, dy);
      return success();
    }
  elementTerms.push_back({list, op.getPlace(), dy});
  return success();
}

/// The element's cotangent is the list's at its index; the previous list's cotangent is zero there.
LogicalResult Reverse::reverse(model::WithElementOp op) {
  Value dy = cotangent(op.getResult());
  addTerm(op.getElement(),
          model::ElementOp::create(builder, op.getLoc(), op.getElement().getType(), dy, op.getPlace()));
  if (!isActive(op.getList()))
    return success();
  return op.emitError(
      "no gradient passes here: other elements of the list are read in the same iteration [no-gradient]");
}

//===- Views -----------------------------------------------------------------------------------------------------===//

LogicalResult Reverse::reverse(linalg::TransposeOp op) {
  Location at = op.getLoc();
  Value dy = cotangent(op->getResult(0));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, op.getInput());
  Value empty = tensor::EmptyOp::create(builder, at, sizes, builder.getF32Type());
  SmallVector<int64_t> inverse = invertPermutationVector(op.getPermutation());
  addTerm(op.getInput(), linalg::TransposeOp::create(builder, at, dy, empty, inverse)->getResult(0));
  return success();
}

LogicalResult Reverse::reverse(tensor::ExpandShapeOp op) {
  Value dy = cotangent(op.getResult());
  addTerm(op.getSrc(),
          tensor::CollapseShapeOp::create(builder, op.getLoc(), op.getSrcType(), dy, op.getReassociationIndices()));
  return success();
}

LogicalResult Reverse::reverse(tensor::CollapseShapeOp op) {
  Value dy = cotangent(op.getResult());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, op.getLoc(), op.getSrc());
  addTerm(op.getSrc(), tensor::ExpandShapeOp::create(builder, op.getLoc(), op.getSrcType(), dy,
                                                     op.getReassociationIndices(), sizes));
  return success();
}

LogicalResult Reverse::reverse(tensor::CastOp op) {
  addTerm(op.getSource(),
          tensor::CastOp::create(builder, op.getLoc(), op.getSource().getType(), cotangent(op.getDest())));
  return success();
}

LogicalResult Reverse::reverse(tensor::ConcatOp op) {
  Location at = op.getLoc();
  Value dy = cotangent(op.getResult());
  int64_t rank = op.getResultType().getRank(), along = op.getDim();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1), offset = zero;
  for (Value part : op.getInputs()) {
    SmallVector<OpFoldResult> offsets(rank, zero), strides(rank, one);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, part);
    offsets[along] = offset;
    addTerm(part, tensor::ExtractSliceOp::create(builder, at, cast<RankedTensorType>(part.getType()), dy, offsets,
                                                 sizes, strides));
    AffineExpr a = builder.getAffineSymbolExpr(0), b = builder.getAffineSymbolExpr(1);
    offset = affine::makeComposedFoldedAffineApply(builder, at, a + b, {offset, sizes[along]});
  }
  return success();
}

/// The cotangent of the source of a slice along one dimension: the slice's cotangent, padded with zeros. It reads no
/// element outside of the slice. Null for other slices, or if the offset is unknown.
Value Reverse::paddedCotangent(tensor::ExtractSliceOp op) {
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
  SmallVector<Value> parts = {cotangent(op.getResult())};
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
LogicalResult Reverse::reverse(tensor::ExtractSliceOp op) {
  Location at = op.getLoc();
  if (Value padded = paddedCotangent(op)) {
    addTerm(op.getSource(), padded);
    return success();
  }
  if (!op.hasUnitStride())
    return op.emitError("no gradient passes here: its slice has a stride [no-gradient]");
  Value dy = cotangent(op.getResult());
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
  addTerm(op.getSource(), linalg::GenericOp::create(builder, at, empty.getType(), ValueRange(), empty,
                                                    ArrayRef<AffineMap>{identity}, loops, body)
                              .getResult(0));
  return success();
}

} // namespace attnc
