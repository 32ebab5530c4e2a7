//===- TileAccess.h - loads, stores and transposition of tiles with queries in the lanes --------------------------===//
//
// The parts of prefill attention (PrefillTile.h) store intermediate data in tiles of a worker's scratch. A tile is a
// memref with one index. Its rows have tileQ() elements, one for each query of the tile of queries. A vector of queries
// is identified by its number in unrolled code (`vector`), or, in a loop over vectors, by its first query (`query`, of
// type index, counted from 0). Offsets and rows are of type index; loaded and stored values are vectors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

class TileAccess {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  TileAccess(LoopBuilder &loops, const AttendSchedule &schedule) : loops(loops), schedule(schedule) {}

  /// The first query of vector number `vector`.
  Value queryOf(int64_t vector) const { return loops.constant(vector * schedule.lanes); }
  /// The offset in a tile of a vector of queries, by its number or by its first query, in row `row + extra`.
  Value offset(Value row, int64_t extra, int64_t vector) const {
    return loops.add(loops.mul(row, schedule.tileQ()), extra * schedule.tileQ() + vector * schedule.lanes);
  }
  Value offsetFrom(Value query, Value row, int64_t extra = 0) const { return loops.add(offset(row, extra, 0), query); }

  /// Load or store one vector: without `row`, of a tile with one row; otherwise of row `row + extra`.
  Value load(Value tile, int64_t vector) const { return loops.load(tile, {queryOf(vector)}); }
  Value load(Value tile, int64_t vector, Value row, int64_t extra = 0) const {
    return loops.load(tile, {offset(row, extra, vector)});
  }
  Value loadFrom(Value tile, Value query, Value row) const { return loops.load(tile, {offsetFrom(query, row)}); }
  void store(Value value, Value tile, int64_t vector) const { loops.store(value, tile, {queryOf(vector)}); }
  void store(Value value, Value tile, int64_t vector, Value row, int64_t extra = 0) const {
    loops.store(value, tile, {offset(row, extra, vector)});
  }
  void storeFrom(Value value, Value tile, Value query, Value row, int64_t extra = 0) const {
    loops.store(value, tile, {offsetFrom(query, row, extra)});
  }

  /// Emits a loop over the vectors of queries. `body` receives the first query of a vector.
  void forEachVector(llvm::function_ref<void(Value query)> body) const;
  /// Emits loops that read `count` (index) elements of each of `lanes` lines of `memref` and transpose them in
  /// registers, `lanes` columns at a time. The elements of a line are contiguous: coordinatesAt(column)[l] are the
  /// coordinates of element number `column` of line l. `use` receives `column` and a list of `lanes` vectors; lane l of
  /// vector c is element column + c of line l. Elements from number `count` on are zero. bf16 and f16 become f32, and
  /// i1 (stored in bytes) becomes i32.
  void transposeLines(Value memref, Value count,
                      llvm::function_ref<llvm::SmallVector<Values>(Value column)> coordinatesAt,
                      llvm::function_ref<void(Value column, ValueRange columns)> use) const;

private:
  LoopBuilder &loops;
  const AttendSchedule &schedule;
};

/// Floats of a cache line.
inline constexpr int64_t lineFloats = cacheLineBytes / 4;

} // namespace attnc
