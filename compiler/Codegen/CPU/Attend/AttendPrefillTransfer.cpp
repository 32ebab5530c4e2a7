// Tiles in and out: rows of a tensor become columns of a tile, 16 x 16 elements at a time (8 x 8 with AVX2).
#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"

using namespace mlir;

namespace attnc {

/// Calls `body` in a loop over the block's vectors of rows, with the first row of the vector (within the block).
void AttendPrefill::forEachVector(function_ref<void(Value)> body) {
  loops.loop(loops.constant(0), loops.constant(schedule.tileQ()), loops.constant(schedule.lanes), body);
}

/// The formulas of the rows that a vector holds, one a lane; past the last row it is repeated.
std::vector<RegionVectoriser> AttendPrefill::bindLanes(Value vector) {
  std::vector<RegionVectoriser> points;
  Value last = loops.add(rows, -1);
  for (int64_t lane = 0; lane < schedule.lanes; ++lane)
    points.push_back(bindRow(loops.min(loops.add(loops.add(firstRow, vector), lane), last)));
  return points;
}

/// Elements 0 .. count-1 of one line a lane become rows of a tile: `placesAt` gives where the lines' elements from a
/// column on lie, `take` gets the vectors of the columns that follow it (some past the end).
void AttendPrefill::transposeLines(Value memref, Value count, function_ref<SmallVector<Values>(Value)> placesAt,
                                   function_ref<void(Value, ValueRange)> take) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  bool isFlag = cast<MemRefType>(memref.getType()).getElementType().isInteger(8);
  Value whole = isFlag ? zero : loops.mul(loops.div(count, lanes), schedule.lanes);
  if (!isFlag)
    loops.loop(zero, whole, lanes, [&](Value first) { take(first, loops.loadTransposed(memref, placesAt(first))); });
  loops.loop(whole, count, lanes, [&](Value first) {
    Values lines;
    for (const Values &place : placesAt(first)) {
      Value line = loops.loadFirst(loops.sub(count, first), memref, place);
      lines.push_back(isFlag ? loops.widen(line) : line);
    }
    take(first, loops.transpose(lines));
  });
}

//===-------------------------------------------- queries -----------------------------------------------------===//

/// What a product is multiplied with: its folded scales, and where it is the score that of the normaliser.
Value AttendPrefill::scaleOf(const PairReduction &product) {
  Value scale = loops.scalar(problem.scoreIsProduct ? problem.normaliser->scoreScale() : 1.0);
  for (auto [factor, divides] : product.scales) {
    Value by = batch.evaluate(factor);
    scale = divides ? loops.divf(scale, by) : loops.mulf(scale, by);
  }
  return loops.splat(scale);
}

static bool isTransposable(const PairReduction &product, tensor::ExtractOp extract) {
  attn::ReduceOp op = product.op;
  return op.getSizes().size() == 1 && IndexUses::stepsWith(extract, op.getBody().getArgument(0));
}

void AttendPrefill::packRows(unsigned number) {
  const PairReduction &product = problem.products[number];
  productScales.push_back(scaleOf(product));
  Value scale = product.isDot ? productScales[number] : loops.splat(1.0);
  for (auto [extract, tile] : llvm::zip(product.rowExtracts, rowTiles[number])) {
    if (isTransposable(product, extract))
      packTransposed(product, extract, tile, scale);
    else
      packElements(product, extract, tile, scale);
  }
  if (product.tanhs)
    packTanhRows(number);
}

/// Asks for the rows that are packed next, a share in each tile of the last block of keys.
void AttendPrefill::prefetchRows(unsigned number, const KeyTile &tile) {
  const PairReduction &product = problem.products[number];
  attn::ReduceOp op = product.op;
  if (!product.features.isConstant())
    return;
  int64_t lines = (product.features.constant() + lineFloats - 1) / lineFloats;
  int64_t tiles = schedule.tileKv / tile.rows, share = (schedule.tileQ() * lines + tiles - 1) / tiles;
  Value first = loops.mul(loops.ceilDiv(tile.row, tile.rows), share);
  for (tensor::ExtractOp extract : product.rowExtracts) {
    if (!isTransposable(product, extract))
      continue;
    for (int64_t i = 0; i < share; ++i) {
      Value line = loops.add(first, i);
      RegionVectoriser row = bindRow(loops.add(nextPairRow, loops.div(line, loops.constant(lines))));
      row.bindIndex(op.getBody().getArgument(0), loops.mul(loops.rem(line, loops.constant(lines)), lineFloats));
      loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(row, extract), /*locality=*/2);
    }
  }
}

void AttendPrefill::packTransposed(const PairReduction &product, tensor::ExtractOp extract, Value tile, Value scale) {
  attn::ReduceOp op = product.op;
  BlockArgument index = op.getBody().getArgument(0);
  Value features = frame.size(product.features), memref = frame.buffer(extract.getTensor());
  forEachVector([&](Value vector) {
    std::vector<RegionVectoriser> points = bindLanes(vector);
    auto placesAt = [&](Value feature) {
      SmallVector<Values> places;
      for (RegionVectoriser line : points) {
        line.bindIndex(index, feature);
        places.push_back(subscriptsOf(line, extract));
      }
      return places;
    };
    transposeLines(memref, features, placesAt, [&](Value feature, ValueRange columns) {
      for (auto [column, packed] : llvm::enumerate(columns))
        loops.store(loops.mulf(packed, scale), tile, {loops.add(tileAt(feature, column, 0), vector)});
    });
  });
}

void AttendPrefill::packElements(const PairReduction &product, tensor::ExtractOp extract, Value tile, Value scale) {
  attn::ReduceOp op = product.op;
  Values sizes;
  for (Value size : op.getSizes())
    sizes.push_back(frame.index(size));
  loops.nest(sizes, {}, [&](ValueRange features, ValueRange) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser element = rowVectors[vector];
      for (auto [argument, feature] : llvm::zip(op.getBody().getArguments(), features))
        element.bindIndex(argument, feature);
      Value packed = element.broadcast(element.evaluate(extract.getResult()));
      storeTile(loops.mulf(packed, scale), tile, vector, loops.linearise(features, sizes));
    }
    return Values();
  });
}

//===-------------------------------------------- biases and masks of pairs -----------------------------------===//

/// Where an extract reads the elements of a key, one place a row.
static SmallVector<LoopBuilder::Values> placesOf(const PairExtract &extract, ArrayRef<RegionVectoriser> rows,
                                                 Value key) {
  SmallVector<LoopBuilder::Values> places;
  for (RegionVectoriser row : rows) {
    row.bindIndex(extract.key, key);
    places.push_back(subscriptsOf(row, extract.op));
  }
  return places;
}

/// Brings the elements of a block of pairs into tiles whose lanes are queries.
void AttendPrefill::loadPairTiles(Value firstKey, Value count) {
  for (auto [extract, tile] : llvm::zip(problem.pairExtracts, pairTiles)) {
    if (!tile)
      continue;
    tensor::ExtractOp op = extract.op;
    forEachVector([&, &extract = extract, &tile = tile](Value vector) {
      std::vector<RegionVectoriser> points = bindLanes(vector);
      auto placesAt = [&](Value key) { return placesOf(extract, points, loops.add(firstKey, key)); };
      transposeLines(frame.buffer(op.getTensor()), count, placesAt, [&](Value key, ValueRange columns) {
        for (auto [column, transposed] : llvm::enumerate(columns))
          loops.store(transposed, tile, {loops.add(tileAt(key, column, 0), vector)});
      });
    });
  }
}

/// Binds the biases of consecutive keys from `key` on, as many as a vector has lanes, where `lines` are its rows.
void AttendPrefill::bindBiases(ArrayRef<RegionVectoriser> lines, Value key, MutableArrayRef<RegionVectoriser> pairs) {
  for (const PairExtract &extract : problem.pairExtracts) {
    if (!extract.isBias())
      continue;
    tensor::ExtractOp op = extract.op;
    Values columns = loops.loadTransposed(frame.buffer(op.getTensor()), placesOf(extract, lines, key));
    for (auto [pair, column] : llvm::zip(pairs, columns))
      pair.bindValue(op.getResult(), column);
  }
}

/// Asks for what the next block reads of the biases and masks, row by row, while products are computed. Each of the
/// `lines` turns of a tile of keys asks for its share, because the processor follows only so many misses at once.
void AttendPrefill::prefetchPairs(const KeyTile &tile, Value line, int64_t lines) {
  if (tile.rows == 1)
    return; // too few keys for shares
  int64_t share = (tile.rows * schedule.tileQ() / lineFloats + lines - 1) / lines;
  Value turn = loops.add(loops.mul(loops.ceilDiv(tile.row, tile.rows), lines), line);
  Value linesOfRow = loops.ceilDiv(tile.count, lineFloats), first = loops.mul(turn, share);
  for (const PairExtract &extract : problem.pairExtracts) {
    tensor::ExtractOp op = extract.op;
    Value row = loops.div(first, linesOfRow), lineOfRow = loops.rem(first, linesOfRow);
    for (int64_t i = 0; i < share; ++i) {
      RegionVectoriser point = bindRow(loops.add(nextPairRow, row));
      point.bindIndex(extract.key, loops.add(nextPairKey, loops.mul(lineOfRow, lineFloats)));
      loops.prefetch(frame.buffer(op.getTensor()), subscriptsOf(point, op), /*locality=*/2);
      Value next = loops.add(lineOfRow, 1), isInRow = loops.less(next, linesOfRow);
      lineOfRow = loops.choose(isInRow, next, loops.constant(0));
      row = loops.choose(isInRow, row, loops.add(row, 1));
    }
  }
}

/// Binds what loadPairTiles brought, for one key of the block and the vector of queries from `vector` on.
void AttendPrefill::bindPairTiles(RegionVectoriser &pair, Value vector, Value key) {
  for (auto [extract, tile] : llvm::zip(problem.pairExtracts, pairTiles)) {
    if (!tile)
      continue;
    tensor::ExtractOp op = extract.op;
    Value element = loops.load(tile, {loops.add(tileAt(key, 0, 0), vector)});
    if (op.getType().isInteger(1))
      element = loops.isSet(element);
    pair.bindValue(op.getResult(), element);
  }
}

//===-------------------------------------------- results -----------------------------------------------------===//

/// Stores rows 0 .. count-1 of a tile as runs of `count` elements, one for each query: `placeOf` gives the subscripts
/// of an element of a row. The lanes are multiplied with `scales` (a tile of one row), if there is one.
void AttendPrefill::storeTransposed(Value tile, Value count, Value scales, Value result,
                                    function_ref<Values(RegionVectoriser &, Value)> placeOf) {
  forEachVector([&](Value vector) {
    std::vector<RegionVectoriser> points = bindLanes(vector);
    loops.loop(loops.constant(0), count, loops.constant(schedule.lanes), [&](Value first) {
      SmallVector<Values> places;
      for (int64_t line = 0; line < schedule.lanes; ++line)
        places.push_back({loops.add(tileAt(first, line, 0), vector)});
      for (auto [lane, column] : llvm::enumerate(loops.loadTransposed(tile, places))) {
        Value run = column;
        if (scales)
          run = loops.mulf(run, loops.splat(loops.loadScalar(scales, {loops.add(vector, lane)})));
        Value exists = loops.less(loops.add(vector, lane), rowCount);
        loops.when(exists, [&, lane = lane] {
          loops.storeFirst(loops.sub(count, first), run, result, placeOf(points[lane], first));
        });
      }
    });
  });
}

} // namespace attnc
