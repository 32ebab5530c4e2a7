// Ring caches (sliding windows) in next and next_prefill.
#include "compiler/Derive/Incremental/ChunkWriter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

/// The positions of the call, preceded by the `window` positions before them from the ring. Positions before the first
/// one of all have arbitrary values.
Value ChunkWriter::prependEarlier(Value rows, Value ring, const RetainedValue &retained) {
  if (retained.window == 0)
    return rows;
  Location at = retained.value.getLoc();
  unsigned shift = isPerRow(retained.value) ? 1 : 0, rank = typeOf(retained.value).getRank();
  unsigned position = *dims.positionDim(retained.value) + shift;
  std::optional<unsigned> row;
  if (dims.hasRows())
    row = shift ? 0 : *dims.rowDim(retained.value);
  SmallVector<OpFoldResult> sizes = sizesOf(retained.value, isPerRow(retained.value));
  sizes[position] = builder.getIndexAttr(retained.window);
  Value init = tensor::EmptyOp::create(builder, at, sizes, typeOf(retained.value).getElementType());
  auto read = [&](OpBuilder &inside, Location, ValueRange) {
    SmallVector<Value> subscripts, subscriptOfLength;
    for (unsigned dim = 0; dim < rank; ++dim)
      subscripts.push_back(linalg::IndexOp::create(inside, at, dim));
    if (row)
      subscriptOfLength.push_back(subscripts[*row]);
    auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(inside, at, value); };
    Value before = arith::IndexCastOp::create(inside, at, inside.getIndexType(),
                                              tensor::ExtractOp::create(inside, at, length, subscriptOfLength));
    Value first = arith::SubIOp::create(inside, at, before, number(retained.window));
    Value wanted = arith::AddIOp::create(inside, at, subscripts[position], first);
    wanted = arith::MaxSIOp::create(inside, at, wanted, number(0));
    subscripts[position] = arith::RemUIOp::create(inside, at, wanted, number(retained.ringSize));
    linalg::YieldOp::create(inside, at, tensor::ExtractOp::create(inside, at, ring, subscripts).getResult());
  };
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Value earlier = linalg::GenericOp::create(builder, at, init.getType(), ValueRange(), init,
                                            builder.getMultiDimIdentityMap(rank), iterators, read)
                      .getResult(0);
  return tensor::ConcatOp::create(builder, at, position, ValueRange{earlier, rows});
}

/// The ring cache that holds the keys of an attend; null if there is none.
const RetainedValue *ChunkWriter::ringOf(attn::AttendOp op) const {
  const RetainedValue *found = nullptr;
  op.walk([&](tensor::ExtractOp extract) {
    const RetainedValue *retained = analysis.readsCache(extract) ? plan.cache(extract.getTensor()) : nullptr;
    if (retained && retained->isRing())
      found = retained;
  });
  return found;
}

/// Number of keys of such an attend.
Value ChunkWriter::ringKeys(attn::AttendOp op, const RetainedValue &ring) {
  if (isStep)
    return arith::ConstantIndexOp::create(builder, op.getLoc(), ring.ringSize);
  Value positions = size(SizeExpr::symbol(dims.alongSymbol), op.getLoc());
  Value window = arith::ConstantIndexOp::create(builder, op.getLoc(), ring.window);
  return arith::AddIOp::create(builder, op.getLoc(), positions, window);
}

} // namespace attnc
