#include "compiler/Derive/Incremental/ChunkBody.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Derive/Incremental/PagedCaches.h"

using namespace mlir;

namespace attnc {

void ChunkBody::bind(Value old, Value here) {
  if (indices.isPosition(old))
    callIndices[old] = here;
  else if (ring && indices.isKey(old))
    ringIndices[old] = here;
  else
    mapping.map(old, here);
}

Value ChunkBody::rowIndex() {
  if (!knownRow) {
    OpBuilder::InsertionGuard guard(chunk.builder);
    chunk.builder.setInsertionPointToStart(top);
    knownRow = row();
  }
  return knownRow;
}

Value ChunkBody::numberOfRow(Value list) {
  SmallVector<Value> subscript;
  if (chunk.dims.hasRows())
    subscript.push_back(rowIndex());
  OpBuilder::InsertionGuard guard(chunk.builder);
  Operation *after = subscript.empty() ? nullptr : subscript[0].getDefiningOp();
  if (after && after->getBlock() == top)
    chunk.builder.setInsertionPointAfter(after);
  else
    chunk.builder.setInsertionPointToStart(top);
  Location at = indices.owner->getLoc();
  Value number = tensor::ExtractOp::create(chunk.builder, at, list, subscript);
  return arith::IndexCastOp::create(chunk.builder, at, chunk.builder.getIndexType(), number);
}

/// The number of positions before those of the call.
Value ChunkBody::offset() {
  knownOffset = knownOffset ? knownOffset : numberOfRow(chunk.length);
  return knownOffset;
}

Value ChunkBody::value(Value old) {
  if (Value known = mapping.lookupOrNull(old))
    return known;
  if (auto found = callIndices.find(old); found != callIndices.end()) {
    // Emitted where the index is defined, since another use may precede this one.
    OpBuilder::InsertionGuard guard(chunk.builder);
    Value before = offset();
    auto index = found->second.getDefiningOp();
    Operation *later = before.getDefiningOp();
    if (index && index->getBlock() == later->getBlock() && later->isBeforeInBlock(index))
      later = index;
    chunk.builder.setInsertionPointAfter(later);
    Value sum = arith::AddIOp::create(chunk.builder, indices.owner->getLoc(), found->second, before);
    mapping.map(old, sum);
    return sum;
  }
  if (auto found = ringIndices.find(old); found != ringIndices.end()) {
    Value position = keyPosition(found->second);
    mapping.map(old, position);
    return position;
  }
  if (isa<RankedTensorType>(old.getType())) {
    OpBuilder::InsertionGuard guard(chunk.builder);
    chunk.builder.setInsertionPoint(top->getParentOp());
    return chunk.tensor(old);
  }
  if (indices.roles.timeStep && dependsOn(old, indices.roles.timeStep)) {
    Value number = copyNumber(old.getDefiningOp());
    mapping.map(old, number);
    return number;
  }
  return chunk.values.lookup(old);
}

/// Copies an op outside of the body that computes a number from the time step, to where all uses can see it.
Value ChunkBody::copyNumber(Operation *op) {
  OpBuilder::InsertionGuard guard(chunk.builder);
  IRMapping operands;
  Operation *after = offset().getDefiningOp();
  for (Value operand : op->getOperands()) {
    Value here = value(operand);
    operands.map(operand, here);
    if (Operation *computed = here.getDefiningOp(); computed && computed->getBlock() == after->getBlock())
      after = after->isBeforeInBlock(computed) ? computed : after;
  }
  chunk.builder.setInsertionPointAfter(after);
  return chunk.builder.clone(*op, operands)->getResult(0);
}

void ChunkBody::copyExtract(tensor::ExtractOp extract) {
  Value old = extract.getTensor();
  std::optional<unsigned> position = chunk.dims.positionDim(old);
  bool isOwn = chunk.analysis.readsOwnPosition(extract), isCached = chunk.analysis.readsCache(extract);
  const RetainedValue *retained = isCached ? chunk.plan.cache(old) : nullptr;
  SmallVector<Value> subscripts, unproved;
  if (chunk.isPerRow(old))
    subscripts.push_back(rowIndex());
  for (auto [dim, subscript] : llvm::enumerate(extract.getIndices())) {
    Value stripped = BodyIndices::stripCasts(subscript);
    bool isCallIndex = isOwn && position == dim && callIndices.contains(stripped);
    bool isInRing = retained && retained->isRing() && position == dim;
    if (isInRing && ringIndices.contains(stripped))
      subscripts.push_back(ringIndices.lookup(stripped));
    else if (isInRing)
      subscripts.push_back(toRingIndex(value(subscript), *retained));
    else
      subscripts.push_back(isCallIndex ? callIndices.lookup(stripped) : value(subscript));
    if (llvm::is_contained(unprovedSubscripts(extract), subscript))
      unproved.push_back(subscripts.back());
  }
  Value from = isCached ? chunk.cacheContents.lookup(old) : value(old);
  std::optional<unsigned> row = chunk.rowDimHere(old);
  bool isPaged = isCached && chunk.plan.isPaged();
  if (isPaged)
    toBlocks(chunk, from, *row, *position + (chunk.isPerRow(old) ? 1 : 0), top->getParentOp(), subscripts);
  auto element = tensor::ExtractOp::create(chunk.builder, extract.getLoc(), from, subscripts);
  markUnproved(element, unproved);
  if (isPaged)
    element->setAttr(attn::provedAttrName, chunk.builder.getDenseI64ArrayAttr({*row}));
  mapping.map(extract.getResult(), element.getResult());
}

/// Position of a key by its index in the ring. In next, indices after that of the current position hold the positions
/// of the previous round. In next_prefill, the index counts from the first of the `window` positions before the call.
Value ChunkBody::keyPosition(Value ringIndex) {
  OpBuilder &builder = chunk.builder;
  Location at = indices.owner->getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); };
  Value before = offset();
  builder.setInsertionPointAfter(before.getDefiningOp());
  if (!chunk.isStep)
    return arith::AddIOp::create(builder, at, ringIndex,
                                 arith::SubIOp::create(builder, at, before, number(ring->window)));
  Value own = arith::RemUIOp::create(builder, at, before, number(ring->ringSize));
  Value round = arith::SubIOp::create(builder, at, before, own);
  Value previousRound = arith::SubIOp::create(builder, at, round, number(ring->ringSize));
  Value isPrevious = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::sgt, ringIndex, own);
  return arith::AddIOp::create(builder, at, ringIndex,
                               arith::SelectOp::create(builder, at, isPrevious, previousRound, round));
}

/// Index of a position in the ring or, in next_prefill, in the positions that it reads; in range for any position.
Value ChunkBody::toRingIndex(Value position, const RetainedValue &retained) {
  OpBuilder &builder = chunk.builder;
  Location at = indices.owner->getLoc();
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); };
  if (!position.getType().isIndex())
    position = arith::IndexCastOp::create(builder, at, builder.getIndexType(), position);
  if (!chunk.isStep) {
    Value ringIndex = arith::SubIOp::create(builder, at, position, offset());
    position = arith::AddIOp::create(builder, at, ringIndex, number(retained.window));
  }
  position = arith::MaxSIOp::create(builder, at, position, number(0));
  return chunk.isStep ? arith::RemUIOp::create(builder, at, position, number(retained.ringSize)).getResult() : position;
}

Value ChunkBody::isPosition(Value key) {
  Location at = indices.owner->getLoc();
  Value zero = arith::ConstantIndexOp::create(chunk.builder, at, 0);
  return arith::CmpIOp::create(chunk.builder, at, arith::CmpIPredicate::sge, value(key), zero);
}

Value ChunkBody::isStored(Value key) {
  OpBuilder &builder = chunk.builder;
  Location at = indices.owner->getLoc();
  Value end = arith::AddIOp::create(builder, at, offset(), numberOfRow(chunk.count));
  return arith::CmpIOp::create(builder, at, arith::CmpIPredicate::slt, value(key), end);
}

void ChunkBody::copy(Operation &op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return copyExtract(extract);
  for (Value operand : op.getOperands())
    mapping.map(operand, value(operand));
  Operation *result = chunk.builder.insert(op.cloneWithoutRegions(mapping));
  for (auto [number, region] : llvm::enumerate(op.getRegions())) {
    OpBuilder::InsertionGuard guard(chunk.builder);
    Block *block = chunk.builder.createBlock(&result->getRegion(number));
    for (BlockArgument argument : region.getArguments())
      mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
    copy(region.front());
  }
}

void ChunkBody::copy(Block &from) {
  for (Operation &op : from) {
    if (auto index = dyn_cast<linalg::IndexOp>(op); index && (mapping.contains(index) || callIndices.contains(index)))
      continue;
    copy(op);
  }
}

} // namespace attnc
