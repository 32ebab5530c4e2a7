//===- TileAccess.h - loads, stores and transposition of tiles with queries in the lanes ----------------------===//
//
// A tile is a memref with one index; its rows have tileQ() elements, one for each query of the block. A vector of
// queries is identified by its number in unrolled code (`vector`), and by its first query, from 0 on, if that is a
// loop's induction variable (`query`).
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

  /// The first query of a vector.
  Value queryOf(int64_t vector) const { return loops.constant(vector * schedule.lanes); }
  /// The offset in a tile of a vector of queries in row `row + extra`.
  Value offset(Value row, int64_t extra, int64_t vector) const {
    return loops.add(loops.mul(row, schedule.tileQ()), extra * schedule.tileQ() + vector * schedule.lanes);
  }
  Value offsetFrom(Value query, Value row, int64_t extra = 0) const { return loops.add(offset(row, extra, 0), query); }

  /// Loads or stores a vector of a tile of one row, or of row `row + extra`.
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

  /// Emits a loop over the vectors of queries; `query` is the first query of a vector.
  void forEachVector(llvm::function_ref<void(Value query)> body) const;
  /// Emits loops that read `count` elements of `lanes` lines of `memref` and transpose them in registers, a vector of
  /// columns at a time: coordinatesAt(column)[l] are the coordinates of element `column` of line l, and element l of
  /// columns[c], which `use` receives, is element column + c of line l (zero from `count` on). The elements of a line
  /// are contiguous. `use` always receives `lanes` columns. i1 becomes i32.
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
