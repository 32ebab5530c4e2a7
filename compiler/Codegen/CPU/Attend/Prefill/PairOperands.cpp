#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"

using namespace mlir;

namespace attnc {

PairOperands::PairOperands(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                           ArrayRef<Value> tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), tiles(tiles) {}

/// The coordinates of a key's elements, one for each row.
static SmallVector<LoopBuilder::Values> coordinatesOf(const PairExtract &extract, ArrayRef<RegionVectoriser> rows,
                                                      Value key) {
  SmallVector<LoopBuilder::Values> coordinates;
  for (RegionVectoriser row : rows) {
    row.bindIndex(extract.key, key);
    coordinates.push_back(subscriptsOf(row, extract.op));
  }
  return coordinates;
}

void PairOperands::load(const KeyBlock &block) {
  for (auto [extract, tile] : llvm::zip(problem.pairExtracts, tiles)) {
    if (!tile)
      continue;
    tensor::ExtractOp op = extract.op;
    access.forEachVector([&, &extract = extract, tile = tile](Value query) {
      std::vector<RegionVectoriser> points = queries.bindLanes(query);
      auto coordinatesAt = [&](Value key) { return coordinatesOf(extract, points, loops.add(block.firstKey, key)); };
      access.transposeLines(frame.buffer(op.getTensor()), block.count, coordinatesAt,
                            [&](Value key, ValueRange columns) {
                              for (auto [column, transposed] : llvm::enumerate(columns))
                                access.storeFrom(transposed, tile, query, key, column);
                            });
    });
  }
}

RegionVectoriser PairOperands::bindPair(int64_t vector, const KeyBlock &block, Value key) {
  RegionVectoriser pair = batch.bindKey(queries.vectors[vector], loops.add(block.firstKey, key));
  bind(pair, access.queryOf(vector), key);
  return pair;
}

void PairOperands::bind(RegionVectoriser &pair, Value query, Value key) {
  for (auto [extract, tile] : llvm::zip(problem.pairExtracts, tiles)) {
    if (!tile)
      continue;
    tensor::ExtractOp op = extract.op;
    Value element = access.loadFrom(tile, query, key);
    if (op.getType().isInteger(1))
      element = loops.isSet(element);
    pair.bindValue(op.getResult(), element);
  }
}

void PairOperands::bindBiases(ArrayRef<RegionVectoriser> lines, Value key, MutableArrayRef<RegionVectoriser> pairs) {
  for (const PairExtract &extract : problem.pairExtracts) {
    if (!extract.isBias())
      continue;
    tensor::ExtractOp op = extract.op;
    LoopBuilder::Values columns =
        loops.loadTransposed(frame.buffer(op.getTensor()), coordinatesOf(extract, lines, key));
    for (auto [pair, column] : llvm::zip(pairs, columns))
      pair.bindValue(op.getResult(), column);
  }
}

void PairOperands::prefetchNext(const KeyTile &tile, Value iteration, int64_t iterations) {
  if (tile.rows == 1)
    return; // too few keys for equal parts
  int64_t share = (tile.rows * schedule.tileQ() / lineFloats + iterations - 1) / iterations;
  Value number = loops.add(loops.mul(loops.ceilDiv(tile.row, tile.rows), iterations), iteration);
  Value linesOfRow = loops.ceilDiv(tile.block.count, lineFloats), first = loops.mul(number, share);
  for (const PairExtract &extract : problem.pairExtracts) {
    tensor::ExtractOp op = extract.op;
    Value row = loops.div(first, linesOfRow), lineOfRow = loops.rem(first, linesOfRow);
    for (int64_t i = 0; i < share; ++i) {
      RegionVectoriser point = batch.bindRow(loops.add(tile.block.nextRow, row));
      point.bindIndex(extract.key, loops.add(tile.block.nextKey, loops.mul(lineOfRow, lineFloats)));
      loops.prefetch(frame.buffer(op.getTensor()), subscriptsOf(point, op), /*locality=*/2);
      Value next = loops.add(lineOfRow, 1), isInRow = loops.less(next, linesOfRow);
      lineOfRow = loops.choose(isInRow, next, loops.constant(0));
      row = loops.choose(isInRow, row, loops.add(row, 1));
    }
  }
}

} // namespace attnc
