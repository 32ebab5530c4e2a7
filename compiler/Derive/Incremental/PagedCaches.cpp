#include "compiler/Derive/Incremental/PagedCaches.h"

using namespace mlir;

namespace attnc {

/// Fails unless `attend` alone reads the cached value at earlier positions.
static LogicalResult checkReaders(const RetainedValue &cache, const PositionAnalysis &analysis) {
  if (cache.isCarried)
    return emitError(cache.value.getLoc()) << "`paged` stores values that `attend` reads, but a scan carries this "
                                              "value from position to position";
  for (Operation *user : cache.value.getUsers())
    if (auto extract = dyn_cast<tensor::ExtractOp>(user);
        extract && analysis.readsCache(extract) && !extract->getParentOfType<attn::AttendOp>())
      return extract.emitError() << "`paged` stores values that `attend` reads, but this formula reads a value at "
                                    "earlier positions";
  return success();
}

LogicalResult planPaged(IncrementalPlan &plan) {
  func::FuncOp function = plan.analysis.function;
  auto paged = function->getAttrOfType<IntegerAttr>(model::pagedAttrName);
  if (!paged)
    return success();
  if (!plan.analysis.dims.hasRows())
    return function.emitError() << "`paged` needs a dimension of rows before `" << plan.analysis.dims.alongName << "`";
  for (const RetainedValue &cache : plan.caches)
    if (failed(checkReaders(cache, plan.analysis)))
      return failure();
  plan.blockSize = paged.getInt();
  if (int64_t most = plan.maxPositions(); most >= 0 && most % plan.blockSize != 0)
    return function.emitError() << "`paged: " << plan.blockSize << "` does not divide the bound " << most << " of `"
                                << plan.analysis.dims.alongName << "`";
  return success();
}

void toBlocks(ChunkValues &chunk, Value pool, unsigned row, unsigned position, Operation *outside,
              SmallVectorImpl<Value> &subscripts) {
  OpBuilder &builder = chunk.builder;
  Location at = outside->getLoc();
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); };
  Value blocks;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(outside);
    blocks = tensor::DimOp::create(builder, at, pool, row);
  }
  Value size = number(chunk.plan.blockSize), entry = arith::DivUIOp::create(builder, at, subscripts[position], size);
  Value block = tensor::ExtractOp::create(builder, at, chunk.table, ValueRange{subscripts[row], entry});
  block = arith::IndexCastOp::create(builder, at, builder.getIndexType(), block);
  block = arith::MinSIOp::create(builder, at, block, arith::SubIOp::create(builder, at, blocks, number(1)));
  subscripts[row] = arith::MaxSIOp::create(builder, at, block, number(0));
  subscripts[position] = arith::RemUIOp::create(builder, at, subscripts[position], size);
}

} // namespace attnc
