#include "compiler/Codegen/CPU/Gemm/GemmTile.h"

using namespace mlir;

namespace attnc {

namespace {

constexpr int64_t lineFloats = 16; ///< of a cache line

class TileEmission {
public:
  TileEmission(FlatBuilder &code, const TileShape &shape, const TileOperands &operands)
      : code(code), shape(shape), operands(operands) {}

  FlatBuilder::Values emit() {
    int64_t sums = shape.rows * shape.vectors;
    FlatBuilder::Values accumulators(shape.sets * sums, code.splat(0.0));
    Value whole = code.mul(code.div(operands.depth, unroll), unroll);
    accumulators =
        operands.fetchRow ? withRowFetches(whole, accumulators) : turns(code.constant(0), whole, accumulators);
    FlatBuilder::Values first = added(accumulators, sums);
    std::optional<int64_t> rest = FlatBuilder::constantOf(code.rem(operands.depth, unroll));
    if (rest && *rest == 0)
      return first;
    return code.loop(whole, operands.depth, 1, first, [&](Value k, ValueRange carried) {
      FlatBuilder::Values next(carried);
      step(k, next, 0);
      return next;
    });
  }

private:
  FlatBuilder::Values turns(Value from, Value to, ValueRange accumulators) {
    return code.loop(from, to, unroll, accumulators,
                     [&](Value k, ValueRange carried) { return steps(k, FlatBuilder::Values(carried), unroll); });
  }

  FlatBuilder::Values withRowFetches(Value whole, ValueRange accumulators) {
    Value share = code.mul(code.div(whole, shape.rows * unroll), unroll);
    Value last = code.constant(shape.rows - 1);
    return code.loop(code.constant(0), code.constant(shape.rows), 1, accumulators, [&](Value row, ValueRange carried) {
      operands.fetchRow(row);
      Value from = code.mul(row, share);
      return turns(from, code.choose(code.less(row, last), code.add(from, share), whole), carried);
    });
  }

  /// `count` steps from k on, with what is to be fetched meanwhile.
  FlatBuilder::Values steps(Value k, FlatBuilder::Values accumulators, int64_t count) {
    slots = count * shape.rows;
    slot = 0;
    streams.clear();
    for (const TileFetch &fetch : operands.fetches)
      streams.push_back(
          {code.add(fetch.offset, code.mul(k, fetch.lines * lineFloats / 4)), fetch.lines * count / 4, fetch.locality});
    for (int64_t u = 0; u < count; ++u)
      step(code.add(k, u), accumulators, u % shape.sets);
    streams.clear();
    return accumulators;
  }

  void step(Value k, FlatBuilder::Values &accumulators, int64_t set) {
    int64_t width = shape.vectors * code.lanes;
    Value panelAt = code.add(operands.panelOffset, code.mul(k, width));
    FlatBuilder::Values panelRow;
    for (int64_t v = 0; v < shape.vectors; ++v)
      panelRow.push_back(code.load(operands.panel, code.add(panelAt, v * code.lanes)));
    Value leftAt = code.add(operands.leftOffset, code.mul(k, operands.leftStep));
    for (int64_t r = 0; r < shape.rows; ++r, ++slot) {
      Value spread = code.splat(code.loadScalar(operands.left, code.add(leftAt, operands.rowDistances[r])));
      fetchAhead();
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Value &sum = accumulators[(set * shape.rows + r) * shape.vectors + v];
        sum = code.fma(spread, panelRow[v], sum);
      }
    }
  }

  /// What each stream has to fetch in this slot.
  void fetchAhead() {
    for (Stream &stream : streams)
      for (; stream.fetched * slots <= slot * stream.lines && stream.fetched < stream.lines; ++stream.fetched)
        code.prefetch(operands.panel, code.add(stream.from, stream.fetched * lineFloats), stream.locality);
  }

  /// The sums of all sets.
  FlatBuilder::Values added(ArrayRef<Value> accumulators, int64_t sums) {
    FlatBuilder::Values total(accumulators.take_front(sums));
    for (int64_t set = 1; set < shape.sets; ++set)
      for (int64_t i = 0; i < sums; ++i)
        total[i] = code.addf(total[i], accumulators[set * sums + i]);
    return total;
  }

  FlatBuilder &code;
  const TileShape &shape;
  const TileOperands &operands;
  /// The fetches of one turn of the loop: slots, one a row and step, share out the lines evenly.
  struct Stream {
    Value from;
    int64_t lines;
    unsigned locality;
    int64_t fetched = 0;
  };
  const int64_t unroll = std::max<int64_t>(4, shape.sets);
  SmallVector<Stream> streams;
  int64_t slots = 0, slot = 0;
};

} // namespace

FlatBuilder::Values emitTile(FlatBuilder &code, const TileShape &shape, const TileOperands &operands) {
  return TileEmission(code, shape, operands).emit();
}

} // namespace attnc
