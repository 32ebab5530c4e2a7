#include "compiler/Derive/Incremental/ChunkCarried.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Derive/Incremental/TensorWriter.h"

using namespace mlir;

namespace attnc {

unsigned carriedDim(ChunkValues &chunk, const RetainedValue &carried) {
  std::optional<unsigned> row = chunk.rowDimHere(carried.value);
  return row ? *row + 1 : 0;
}

Value carriedBefore(ChunkValues &chunk, const RetainedValue &carried, Value state, Value initial) {
  OpBuilder &builder = chunk.builder;
  Location at = carried.value.getLoc();
  Value first = chunk.tensor(initial, chunk.isPerRow(carried.value)), place = chunk.elementIndex(carried, at);
  Value init = chunk.emptyLike(carried.value, chunk.isPerRow(carried.value));
  std::optional<unsigned> row = chunk.rowDimHere(carried.value);
  unsigned dim = carriedDim(chunk, carried), rank = cast<RankedTensorType>(init.getType()).getRank();
  auto write = [&](OpBuilder &inside, Location, ValueRange elements) {
    auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(inside, at, value); };
    SmallVector<Value> indices;
    for (unsigned each = 0; each < rank; ++each)
      indices.push_back(linalg::IndexOp::create(inside, at, each));
    Value length = tensor::ExtractOp::create(inside, at, chunk.length, row ? ValueRange{indices[*row]} : ValueRange());
    length = arith::IndexCastOp::create(inside, at, inside.getIndexType(), length);
    Value isFirst = arith::CmpIOp::create(inside, at, arith::CmpIPredicate::sle, length, number(0));
    Value last = arith::MaxSIOp::create(inside, at, arith::SubIOp::create(inside, at, length, number(1)), number(0));
    indices.insert(indices.begin() + dim, arith::RemUIOp::create(inside, at, last, number(carried.ringSize)));
    if (place)
      indices.insert(indices.begin(), place);
    Value before = tensor::ExtractOp::create(inside, at, state, indices);
    linalg::YieldOp::create(inside, at,
                            arith::SelectOp::create(inside, at, isFirst, elements.front(), before).getResult());
  };
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, at, init.getType(), first, init, maps, iterators, write).getResult(0);
}

Value appendCarried(ChunkValues &chunk, const RetainedValue &carried, Value state, Value value, scf::ForOp loop) {
  OpBuilder &builder = chunk.builder;
  Location at = carried.value.getLoc();
  unsigned dim = carriedDim(chunk, carried);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, value);
  shape.insert(shape.begin() + dim, 1);
  sizes.insert(sizes.begin() + dim, builder.getIndexAttr(1));
  Value rows = tensor::ExpandShapeOp::create(builder, at, RankedTensorType::get(shape, type.getElementType()), value,
                                             groupsWithSplit(type.getRank(), dim == 0 ? 0 : dim - 1), sizes);
  std::optional<unsigned> row = chunk.rowDimHere(carried.value);
  IntegerAttr rowAttr = row ? builder.getI64IntegerAttr(*row) : IntegerAttr();
  Value step = chunk.isStep ? Value() : loop.getInductionVar(), steps = chunk.isStep ? Value() : loop.getUpperBound();
  auto append = model::AppendOp::create(builder, at, state.getType(), rows, state, chunk.length,
                                        chunk.elementIndex(carried, at), chunk.count, /*table=*/Value(), step, steps,
                                        builder.getI64IntegerAttr(dim), rowAttr, builder.getUnitAttr());
  append->setAttr(appendsCarriedAttrName, builder.getUnitAttr());
  return append;
}

} // namespace attnc
