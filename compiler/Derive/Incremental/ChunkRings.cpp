#include "compiler/Derive/Incremental/ChunkRings.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

Value prependEarlier(ChunkValues &chunk, Value rows, Value ring, const RetainedValue &retained) {
  if (retained.window == 0)
    return rows;
  OpBuilder &builder = chunk.builder;
  Location at = retained.value.getLoc();
  unsigned shift = chunk.isPerRow(retained.value) ? 1 : 0, rank = chunk.typeOf(retained.value).getRank();
  unsigned position = *chunk.dims.positionDim(retained.value) + shift;
  std::optional<unsigned> row = chunk.rowDimHere(retained.value);
  SmallVector<OpFoldResult> sizes = chunk.sizesOf(retained.value, chunk.isPerRow(retained.value));
  sizes[position] = builder.getIndexAttr(retained.window);
  Value init = tensor::EmptyOp::create(builder, at, sizes, chunk.typeOf(retained.value).getElementType());
  auto read = [&](OpBuilder &inside, Location, ValueRange) {
    SmallVector<Value> subscripts, subscriptOfLength;
    for (unsigned dim = 0; dim < rank; ++dim)
      subscripts.push_back(linalg::IndexOp::create(inside, at, dim));
    if (row)
      subscriptOfLength.push_back(subscripts[*row]);
    auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(inside, at, value); };
    Value before = arith::IndexCastOp::create(inside, at, inside.getIndexType(),
                                              tensor::ExtractOp::create(inside, at, chunk.length, subscriptOfLength));
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

const RetainedValue *ringOf(const ChunkValues &chunk, attn::AttendOp op) {
  const RetainedValue *found = nullptr;
  op.walk([&](tensor::ExtractOp extract) {
    const RetainedValue *retained =
        chunk.analysis.readsCache(extract) ? chunk.plan.cache(extract.getTensor()) : nullptr;
    if (retained && retained->isRing())
      found = retained;
  });
  return found;
}

Value ringKeys(ChunkValues &chunk, attn::AttendOp op, const RetainedValue &ring) {
  OpBuilder &builder = chunk.builder;
  if (chunk.isStep)
    return arith::ConstantIndexOp::create(builder, op.getLoc(), ring.ringSize);
  Value positions = chunk.size(SizeExpr::symbol(chunk.dims.alongSymbol), op.getLoc());
  Value window = arith::ConstantIndexOp::create(builder, op.getLoc(), ring.window);
  return arith::AddIOp::create(builder, op.getLoc(), positions, window);
}

} // namespace attnc
