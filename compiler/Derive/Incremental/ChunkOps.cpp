#include "compiler/Derive/Incremental/ChunkOps.h"
#include "compiler/Derive/Incremental/ChunkBody.h"
#include "compiler/Derive/Incremental/ChunkRings.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- ops ---------------------------------------------------------===//

void ChunkOps::write(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<linalg::GenericOp, attn::AttendOp, linalg::TransposeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::ConcatOp, model::ElementOp, model::WithElementOp>(
          [&](auto each) { write(each); })
      .Case([&](tensor::EmptyOp empty) {
        // Tensors of other sizes are parts of values that next_begin computes.
        if (chunk.hasSizes(empty.getResult()))
          values.map(empty.getResult(), chunk.emptyLike(empty.getResult(), false));
      })
      .Case([&](linalg::FillOp fill) {
        if (Value init = values.lookupOrNull(fill.getOutputs().front()))
          values.map(fill.getResult(0),
                     linalg::FillOp::create(builder, fill.getLoc(), values.lookup(fill.getInputs().front()), init)
                         .getResult(0));
      })
      .Case([&](tensor::CastOp cast) { values.map(cast.getResult(), chunk.tensor(cast.getSource())); })
      .Default([&](Operation *other) { builder.clone(*other, values); });
}

void ChunkOps::write(linalg::GenericOp op) {
  IndexRoles roles = dims.roles(op);
  bool gains = chunk.isPerRow(op.getResult(0));
  unsigned shift = gains ? 1 : 0, loops = op.getNumLoops() + shift;
  std::optional<unsigned> row = gains ? 0 : roles.row;
  auto mapHere = [&](AffineMap map, bool isPerRow) {
    map = map.shiftDims(shift);
    SmallVector<AffineExpr> results(map.getResults());
    if (isPerRow)
      results.insert(results.begin(), builder.getAffineDimExpr(*row));
    return AffineMap::get(loops, 0, results, builder.getContext());
  };
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    inputs.push_back(chunk.tensor(operand->get()));
    maps.push_back(mapHere(op.getMatchingIndexingMap(operand), chunk.isPerRow(operand->get())));
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value start = init.get();
    auto fill = start.getDefiningOp<linalg::FillOp>();
    Value empty =
        fill || start.getDefiningOp<tensor::EmptyOp>() ? chunk.emptyLike(start, gains) : chunk.tensor(start, gains);
    inits.push_back(
        fill ? linalg::FillOp::create(builder, fill.getLoc(), values.lookup(fill.getInputs()[0]), empty).getResult(0)
             : empty);
    types.push_back(inits.back().getType());
    maps.push_back(mapHere(op.getMatchingIndexingMap(&init), gains));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), shift, utils::IteratorType::parallel);
  auto chunkOp = linalg::GenericOp::create(builder, op.getLoc(), types, inputs, inits, maps, iterators);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&chunkOp.getRegion());
  auto rowIndex = [&]() -> Value { return linalg::IndexOp::create(builder, op.getLoc(), *row); };
  ChunkBody copy(chunk, BodyIndices(op, roles), body, rowIndex);
  for (BlockArgument argument : op.getBody()->getArguments())
    copy.bind(argument, body->addArgument(argument.getType(), argument.getLoc()));
  for (linalg::IndexOp index : op.getBody()->getOps<linalg::IndexOp>())
    copy.bind(index, linalg::IndexOp::create(builder, index.getLoc(), index.getDim() + shift));
  copy.copy(*op.getBody());
  for (auto [result, here] : llvm::zip_equal(op.getResults(), chunkOp.getResults()))
    values.map(result, here);
}

void ChunkOps::write(attn::AttendOp op) {
  IndexRoles roles = dims.roles(op);
  bool gains = chunk.isPerRow(op.getResult(0));
  Location at = op.getLoc();
  auto valueOf = [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(builder, at, size); };
  const RetainedValue *ring = ringOf(chunk, op);
  SmallVector<Value> outer, keys, features;
  if (gains)
    outer.push_back(valueOf(chunk.rowCount(at)));
  for (Value size : op.getOuterSizes())
    outer.push_back(valueOf(chunk.sizeHere(size, at)));
  for (auto [number, size] : llvm::enumerate(op.getKeySizes()))
    keys.push_back(roles.key != number ? valueOf(chunk.sizeHere(size, at))
                   : ring              ? ringKeys(chunk, op, *ring)
                                       : chunk.capacity);
  for (Value size : op.getValueSizes())
    features.push_back(valueOf(chunk.sizeHere(size, at)));
  auto behindRow = [&](DenseI64ArrayAttr dimensions, SmallVector<int64_t> shifted) {
    if (!dimensions || !gains)
      return dimensions;
    for (int64_t dim : dimensions.asArrayRef())
      shifted.push_back(dim + 1);
    return builder.getDenseI64ArrayAttr(shifted);
  };
  DenseI64ArrayAttr layout = behindRow(op.getValueLayoutAttr(), {0}), summed = behindRow(op.getSummedAttr(), {});
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(chunk.typeOf(result, gains));
  auto chunkOp = attn::AttendOp::create(builder, at, types, outer, keys, features, op.getNormaliserAttr(),
                                        op.getYieldsAttr(), layout, op.getAlphaAttr(), op.getTopAttr(), summed);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), chunkOp->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&to);
    unsigned leading = &from == &op.getWeight() ? 1 : 0;
    auto rowIndex = [&]() -> Value { return body->getArgument(leading + (gains ? 0 : *roles.row)); };
    ChunkBody copy(chunk, BodyIndices(op, roles), body, rowIndex);
    copy.setRing(ring);
    for (auto [number, argument] : llvm::enumerate(from.getArguments())) {
      if (gains && number == leading)
        body->addArgument(builder.getIndexType(), at);
      copy.bind(argument, body->addArgument(argument.getType(), argument.getLoc()));
    }
    copy.copy(from.front());
    bool isOfBlocks = chunk.plan.isPaged() && !chunk.isStep && roles.key;
    if ((ring || isOfBlocks) && &from == &op.getMask()) {
      Operation *end = body->getTerminator();
      builder.setInsertionPoint(end);
      Value key = from.getArgument(op.getNumOuter() + *roles.key);
      Value exists = ring ? copy.isPosition(key) : copy.isStored(key);
      end->setOperand(0, arith::AndIOp::create(builder, at, end->getOperand(0), exists));
    }
  }
  for (auto [result, here] : llvm::zip_equal(op.getResults(), chunkOp.getResults()))
    values.map(result, here);
}

//===-------------------------------------------- lists -------------------------------------------------------===//

void ChunkOps::write(model::ElementOp op) {
  values.map(op.getResult(), model::ElementOp::create(builder, op.getLoc(), chunk.typeOf(op.getResult()),
                                                      chunk.tensor(op.getList()), values.lookup(op.getPlace())));
}

void ChunkOps::write(model::WithElementOp op) {
  Value list = chunk.tensor(op.getList());
  values.map(op.getResult(),
             model::WithElementOp::create(builder, op.getLoc(), list.getType(), chunk.tensor(op.getElement()), list,
                                          values.lookup(op.getPlace())));
}

//===-------------------------------------------- views -------------------------------------------------------===//

void ChunkOps::write(linalg::TransposeOp op) {
  bool gains = chunk.isPerRow(op.getResult()[0]);
  SmallVector<int64_t> order;
  if (gains)
    order.push_back(0);
  for (int64_t dim : op.getPermutation())
    order.push_back(dim + (gains ? 1 : 0));
  Value init = chunk.emptyLike(op.getInit(), gains);
  values.map(
      op.getResult()[0],
      linalg::TransposeOp::create(builder, op.getLoc(), chunk.tensor(op.getInput()), init, order).getResult()[0]);
}

/// Reassociation groups with one more for a leading dimension of rows, if `gains`.
static SmallVector<ReassociationIndices> groupsHere(ArrayRef<ReassociationIndices> groups, bool gains) {
  SmallVector<ReassociationIndices> here;
  if (gains)
    here.push_back({0});
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices &shifted = here.emplace_back(group);
    for (int64_t &dim : shifted)
      dim += gains ? 1 : 0;
  }
  return here;
}

void ChunkOps::write(tensor::ExpandShapeOp op) {
  bool gains = chunk.isPerRow(op.getResult());
  values.map(op.getResult(),
             tensor::ExpandShapeOp::create(builder, op.getLoc(), chunk.typeOf(op.getResult()),
                                           chunk.tensor(op.getSrc()), groupsHere(op.getReassociationIndices(), gains),
                                           chunk.sizesOf(op.getResult(), gains)));
}

void ChunkOps::write(tensor::CollapseShapeOp op) {
  bool gains = chunk.isPerRow(op.getResult());
  values.map(op.getResult(), tensor::CollapseShapeOp::create(builder, op.getLoc(), chunk.typeOf(op.getResult()),
                                                             chunk.tensor(op.getSrc()),
                                                             groupsHere(op.getReassociationIndices(), gains)));
}

void ChunkOps::write(tensor::ConcatOp op) {
  bool gains = chunk.isPerRow(op.getResult());
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(chunk.tensor(input, gains));
  values.map(op.getResult(), tensor::ConcatOp::create(builder, op.getLoc(), op.getDim() + (gains ? 1 : 0), inputs));
}

void ChunkOps::write(tensor::ExtractSliceOp op) {
  if (dims.positionDim(op.getResult()) && !dims.positionDim(op.getSource()))
    return writeTableSlice(op);
  bool gains = chunk.isPerRow(op.getResult());
  Location at = op.getLoc();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  if (gains) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(chunk.rowCount(at));
    strides.push_back(builder.getIndexAttr(1));
  }
  for (auto [offset, size, stride] : llvm::zip_equal(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    offsets.push_back(chunk.sizeHere(offset, at));
    sizes.push_back(chunk.sizeHere(size, at));
    strides.push_back(stride);
  }
  values.map(op.getResult(), tensor::ExtractSliceOp::create(builder, at, chunk.typeOf(op.getResult()),
                                                            chunk.tensor(op.getSource()), offsets, sizes, strides));
}

/// A slice of the first `seq` entries of a table becomes the entries of the call's positions.
void ChunkOps::writeTableSlice(tensor::ExtractSliceOp op) {
  bool gains = chunk.isPerRow(op.getResult());
  Location at = op.getLoc();
  Value source = chunk.tensor(op.getSource()), init = chunk.emptyLike(op.getResult(), gains);
  std::optional<unsigned> position = dims.positionDim(op.getResult());
  unsigned shift = gains ? 1 : 0, rank = chunk.typeOf(op.getResult()).getRank();
  std::optional<unsigned> row = gains ? 0 : dims.rowDim(op.getResult());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  auto write = [&](OpBuilder &inside, Location, ValueRange) {
    SmallVector<Value> length, subscripts;
    if (row)
      length.push_back(linalg::IndexOp::create(inside, at, *row));
    Value before = arith::IndexCastOp::create(inside, at, inside.getIndexType(),
                                              tensor::ExtractOp::create(inside, at, chunk.length, length));
    unsigned dim = 0;
    for (auto [number, offset] : llvm::enumerate(op.getMixedOffsets())) {
      Value subscript = getValueOrCreateConstantIndexOp(inside, at, chunk.sizeHere(offset, at));
      if (!dropped[number]) {
        Value index = linalg::IndexOp::create(inside, at, dim + shift);
        if (position == dim++)
          index = arith::AddIOp::create(inside, at, index, before);
        subscript =
            isConstantIntValue(subscript, 0) ? index : arith::AddIOp::create(inside, at, subscript, index).getResult();
      }
      subscripts.push_back(subscript);
    }
    linalg::YieldOp::create(inside, at, tensor::ExtractOp::create(inside, at, source, subscripts).getResult());
  };
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto chunkOp = linalg::GenericOp::create(builder, at, init.getType(), ValueRange(), init,
                                           builder.getMultiDimIdentityMap(rank), iterators, write);
  values.map(op.getResult(), chunkOp.getResult(0));
}

} // namespace attnc
