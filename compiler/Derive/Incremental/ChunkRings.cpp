// Caches that are rings, in a step and in a prefill.
#include "compiler/Derive/Incremental/ChunkWriter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

/// The positions of the call behind as many of the ring as are read in front of them. Where there are not so many, what
/// stands for them is anything.
Value ChunkWriter::withEarlier(Value rows, Value ring, const KeptValue &kept) {
  if (kept.window == 0)
    return rows;
  Location at = kept.value.getLoc();
  unsigned shift = isPerRow(kept.value) ? 1 : 0, rank = typeOf(kept.value).getRank();
  unsigned position = *analysis.positionDim(kept.value) + shift;
  std::optional<unsigned> row;
  if (analysis.hasRows())
    row = shift ? 0 : *analysis.rowDim(kept.value);
  SmallVector<OpFoldResult> sizes = sizesOf(kept.value, isPerRow(kept.value));
  sizes[position] = builder.getIndexAttr(kept.window);
  Value init = tensor::EmptyOp::create(builder, at, sizes, typeOf(kept.value).getElementType());
  auto read = [&](OpBuilder &inside, Location, ValueRange) {
    SmallVector<Value> subscripts, subscriptOfLength;
    for (unsigned dim = 0; dim < rank; ++dim)
      subscripts.push_back(linalg::IndexOp::create(inside, at, dim));
    if (row)
      subscriptOfLength.push_back(subscripts[*row]);
    auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(inside, at, value); };
    Value before = arith::IndexCastOp::create(inside, at, inside.getIndexType(),
                                              tensor::ExtractOp::create(inside, at, length, subscriptOfLength));
    Value first = arith::SubIOp::create(inside, at, before, number(kept.window));
    Value wanted = arith::AddIOp::create(inside, at, subscripts[position], first);
    wanted = arith::MaxSIOp::create(inside, at, wanted, number(0));
    subscripts[position] = arith::RemUIOp::create(inside, at, wanted, number(kept.slots));
    linalg::YieldOp::create(inside, at, tensor::ExtractOp::create(inside, at, ring, subscripts).getResult());
  };
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Value earlier = linalg::GenericOp::create(builder, at, init.getType(), ValueRange(), init,
                                            builder.getMultiDimIdentityMap(rank), iterators, read)
                      .getResult(0);
  return tensor::ConcatOp::create(builder, at, position, ValueRange{earlier, rows});
}

/// The ring whose places the keys of an attend are, or null.
const KeptValue *ChunkWriter::ringOf(attn::AttendOp op) const {
  const KeptValue *found = nullptr;
  op.walk([&](tensor::ExtractOp extract) {
    const KeptValue *kept = analysis.readsCache(extract) ? plan.cache(extract.getTensor()) : nullptr;
    if (kept && kept->isRing())
      found = kept;
  });
  return found;
}

/// How many keys such an attend has.
Value ChunkWriter::ringKeys(attn::AttendOp op, const KeptValue &ring) {
  if (isStep)
    return arith::ConstantIndexOp::create(builder, op.getLoc(), ring.slots);
  Value positions = size(SizeExpr::symbol(analysis.alongSymbol), op.getLoc());
  Value window = arith::ConstantIndexOp::create(builder, op.getLoc(), ring.window);
  return arith::AddIOp::create(builder, op.getLoc(), positions, window);
}

} // namespace attnc
