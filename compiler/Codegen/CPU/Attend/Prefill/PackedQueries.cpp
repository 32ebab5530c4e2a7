#include "compiler/Codegen/CPU/Attend/Prefill/PackedQueries.h"
#include "compiler/Codegen/Nest/TransposeRoutines.h"

using namespace mlir;

namespace attnc {

PackedQueries::PackedQueries(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries,
                             const PairReduction &product, ArrayRef<Value> tiles)
    : PrefillContext(context), tiles(tiles), access(loops, schedule), batch(batch), queries(queries), product(product) {
}

void PackedQueries::pack() {
  Value scalar = computeScale();
  scale = loops.splat(scalar);
  Value factor = product.isDot ? scale : loops.splat(1.0);
  for (auto [extract, tile] : llvm::zip(product.rowExtracts, tiles)) {
    if (isTransposable(extract) && queries.areStrided(extract))
      packStrided(extract, tile, product.isDot ? scalar : Value());
    else if (isTransposable(extract))
      packTransposed(extract, tile, factor);
    else
      packElements(extract, tile, factor);
  }
}

Value PackedQueries::computeScale() {
  Value result = loops.scalar(problem.scoreIsProduct ? problem.normaliser->scoreScale() : 1.0);
  for (auto [factor, divides] : product.scales) {
    Value by = batch.formulas.evaluate(factor);
    result = divides ? loops.divf(result, by) : loops.mulf(result, by);
  }
  return result;
}

bool PackedQueries::isTransposable(tensor::ExtractOp extract) const {
  attn::ReduceOp op = product.op;
  return op.getSizes().size() == 1 && IndexUses::stepsWith(extract, op.getBody().getArgument(0));
}

bool PackedQueries::isStrided() const {
  return llvm::all_of(product.rowExtracts, [&](tensor::ExtractOp extract) {
    return isTransposable(extract) && queries.areStrided(extract);
  });
}

/// The subscripts of the first feature of a row.
LoopBuilder::Values PackedQueries::subscriptsOfFirst(RegionVectoriser &row, tensor::ExtractOp extract) const {
  attn::ReduceOp op = product.op;
  row.bindIndex(op.getBody().getArgument(0), loops.constant(0));
  return subscriptsOf(row, extract);
}

StridedRows PackedQueries::stridedNext(tensor::ExtractOp extract) const {
  return queries.stridedNext(frame.buffer(extract.getTensor()),
                             [&](RegionVectoriser &row) { return subscriptsOfFirst(row, extract); });
}

void PackedQueries::packStrided(tensor::ExtractOp extract, Value tile, Value factor) {
  StridedRows rows = queries.strided(frame.buffer(extract.getTensor()), queries.firstRow,
                                     [&](RegionVectoriser &row) { return subscriptsOfFirst(row, extract); });
  rows.count = queries.rowCount;
  rows.columns = frame.size(product.features);
  Value zero = loops.constant(0), width = loops.constant(schedule.tileQ());
  packRows(loops, frame.code, rows, MissingRows::Copies, {tile, zero, schedule.tileQ()}, width, factor);
}

void PackedQueries::packTransposed(tensor::ExtractOp extract, Value tile, Value factor) {
  attn::ReduceOp op = product.op;
  BlockArgument index = op.getBody().getArgument(0);
  Value features = frame.size(product.features), memref = frame.buffer(extract.getTensor());
  access.forEachVector([&](Value query) {
    std::vector<RegionVectoriser> points = queries.bindLanes(query);
    auto coordinatesAt = [&](Value feature) {
      SmallVector<Values> coordinates;
      for (RegionVectoriser line : points) {
        line.bindIndex(index, feature);
        coordinates.push_back(subscriptsOf(line, extract));
      }
      return coordinates;
    };
    access.transposeLines(memref, features, coordinatesAt, [&](Value feature, ValueRange columns) {
      for (auto [column, packed] : llvm::enumerate(columns))
        access.storeFrom(loops.mulf(packed, factor), tile, query, feature, column);
    });
  });
}

void PackedQueries::packElements(tensor::ExtractOp extract, Value tile, Value factor) {
  attn::ReduceOp op = product.op;
  Values sizes;
  for (Value size : op.getSizes())
    sizes.push_back(frame.index(size));
  loops.nest(sizes, {}, [&](ValueRange features, ValueRange) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser element = queries.vectors[vector];
      for (auto [argument, feature] : llvm::zip(op.getBody().getArguments(), features))
        element.bindIndex(argument, feature);
      Value packed = element.broadcast(element.evaluate(extract.getResult()));
      access.store(loops.mulf(packed, factor), tile, vector, loops.linearise(features, sizes));
    }
    return Values();
  });
}

void PackedQueries::prefetchNext(const KeyTile &tile) {
  attn::ReduceOp op = product.op;
  if (!product.features.isConstant())
    return;
  int64_t lines = (product.features.constant() + lineFloats - 1) / lineFloats;
  for (tensor::ExtractOp extract : product.rowExtracts) {
    if (!isTransposable(extract))
      continue;
    forShareOfTile(loops, tile, tile.block.count, loops.constant(schedule.tileQ() * lines), [&](Value number) {
      RegionVectoriser row = queries.bindNext(loops.div(number, loops.constant(lines)));
      row.bindIndex(op.getBody().getArgument(0), loops.mul(loops.rem(number, loops.constant(lines)), lineFloats));
      loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(row, extract), /*locality=*/2);
    });
  }
}

} // namespace attnc
