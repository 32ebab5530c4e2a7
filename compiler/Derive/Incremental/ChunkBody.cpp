#include "compiler/Derive/Incremental/ChunkWriter.h"

using namespace mlir;

namespace attnc {

void ChunkBody::bind(Value old, Value here) {
  if (indices.isPosition(old))
    ofCall[old] = here;
  else
    mapping.map(old, here);
}

Value ChunkBody::rowIndex() {
  if (!knownRow) {
    OpBuilder::InsertionGuard guard(writer.builder);
    writer.builder.setInsertionPointToStart(top);
    knownRow = row();
  }
  return knownRow;
}

/// The positions in front of those of the call.
Value ChunkBody::offset() {
  if (knownOffset)
    return knownOffset;
  SmallVector<Value> subscript;
  if (writer.analysis.hasRows())
    subscript.push_back(rowIndex());
  OpBuilder::InsertionGuard guard(writer.builder);
  Operation *after = subscript.empty() ? nullptr : subscript[0].getDefiningOp();
  if (after && after->getBlock() == top)
    writer.builder.setInsertionPointAfter(after);
  else
    writer.builder.setInsertionPointToStart(top);
  Location at = indices.owner->getLoc();
  Value length = tensor::ExtractOp::create(writer.builder, at, writer.length, subscript);
  return knownOffset = arith::IndexCastOp::create(writer.builder, at, writer.builder.getIndexType(), length);
}

Value ChunkBody::value(Value old) {
  if (Value known = mapping.lookupOrNull(old))
    return known;
  if (auto found = ofCall.find(old); found != ofCall.end()) {
    // Where the index is known, not here: another use may stand in front.
    OpBuilder::InsertionGuard guard(writer.builder);
    Value before = offset();
    auto index = found->second.getDefiningOp();
    Operation *later = before.getDefiningOp();
    if (index && index->getBlock() == later->getBlock() && later->isBeforeInBlock(index))
      later = index;
    writer.builder.setInsertionPointAfter(later);
    Value sum = arith::AddIOp::create(writer.builder, indices.owner->getLoc(), found->second, before);
    mapping.map(old, sum);
    return sum;
  }
  if (isa<RankedTensorType>(old.getType())) {
    OpBuilder::InsertionGuard guard(writer.builder);
    writer.builder.setInsertionPoint(top->getParentOp());
    return writer.tensor(old);
  }
  return writer.values.lookup(old);
}

void ChunkBody::copyExtract(tensor::ExtractOp extract) {
  Value old = extract.getTensor();
  std::optional<unsigned> position = writer.analysis.positionDim(old);
  bool isOwn = writer.analysis.readsOwnPosition(extract), isCached = writer.analysis.readsCache(extract);
  SmallVector<Value> subscripts;
  if (writer.isPerRow(old))
    subscripts.push_back(rowIndex());
  for (auto [dim, subscript] : llvm::enumerate(extract.getIndices())) {
    Value stripped = BodyIndices::stripCasts(subscript);
    bool isOfCall = isOwn && position == dim && ofCall.contains(stripped);
    subscripts.push_back(isOfCall ? ofCall.lookup(stripped) : value(subscript));
  }
  Value from = isCached ? writer.filled.lookup(old) : value(old);
  mapping.map(extract.getResult(), tensor::ExtractOp::create(writer.builder, extract.getLoc(), from, subscripts));
}

void ChunkBody::copy(Operation &op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return copyExtract(extract);
  for (Value operand : op.getOperands())
    mapping.map(operand, value(operand));
  Operation *made = writer.builder.insert(op.cloneWithoutRegions(mapping));
  for (auto [number, region] : llvm::enumerate(op.getRegions())) {
    OpBuilder::InsertionGuard guard(writer.builder);
    Block *block = writer.builder.createBlock(&made->getRegion(number));
    for (BlockArgument argument : region.getArguments())
      mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
    copy(region.front());
  }
}

void ChunkBody::copy(Block &from) {
  for (Operation &op : from) {
    if (auto index = dyn_cast<linalg::IndexOp>(op); index && (mapping.contains(index) || ofCall.contains(index)))
      continue;
    copy(op);
  }
}

} // namespace attnc
