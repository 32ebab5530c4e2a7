//===- AttendMaps.h - tensor maps of queries, keys and values -----------------------------------------------------===//
//
// The rows of a matrix are one dimension of its tensor map (TensorMap.h), which may merge neighbouring dimensions of
// the tensor. The dimensions before the rows, and those between rows and columns, are merged into one map dimension
// each; they select the batch:
//
//   q[b, h, i, d]    rows i       column d, row i, before b, h
//   q[b, i, h, d]    rows i       column d, row i, between h, before b
//   q[b, h, i, d]    rows h, i    column d, row (h, i), before b
//
// A row may be a slice of a row of the tensor: x[b, i, 64 h + d] starts at column 64 h. The map contains the rows of
// the problem only, so a tile that reaches past them is zero-filled.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"

namespace attnc {

/// The queries, keys or values of all batches as one mapped tensor.
struct MappedMatrix {
  mlir::tensor::ExtractOp extract; ///< the load of an element in a formula
  unsigned firstRow, endRow;       ///< the subscripts [firstRow, endRow) of `extract` are those of the rows
  MappedTensor tensor;             ///< its box is a tile, or a panel of it

  /// Coordinates (i32) of row 0 of the open batch (AttendRows::openBatch); that of `rowDimension` is 0. The caller
  /// replaces it by the number of the first row to copy.
  TileBuilder::Values start(AttendSources &sources, TileBuilder &tiles, DeviceFrame &frame) const;
  static constexpr unsigned rowDimension = 1;
};

struct AttendMaps {
  MappedMatrix queries, keys, values;

  /// Sets `maps` to the maps for tiles of `tileQueries` queries and `tileKeys` keys in panels of panelBytes(); fails
  /// with a reason if TMA cannot copy all three matrices.
  static Verdict match(const AttendProblem &problem, const AttendMatrices &matrices, int64_t tileQueries,
                       int64_t tileKeys, std::optional<AttendMaps> &maps);
  /// Maps of queries, keys and values, in this order.
  TensorMaps all() const { return TensorMaps({queries.tensor, keys.tensor, values.tensor}); }
};

/// Bytes of a panel row for rows of `columns` elements: the largest panel that wgmma supports and that divides the row.
int64_t panelBytes(MatrixType type, int64_t columns);

} // namespace attnc
