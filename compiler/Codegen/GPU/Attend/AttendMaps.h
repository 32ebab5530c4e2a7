//===- AttendMaps.h - tensor maps of queries, keys and values -----------------------------------------------------===//
//
// TMA copies tiles of queries, keys and values by tensor maps (TensorMap.h). Each of the three tensors is a matrix for
// each batch: a row is a query or a key, a column is a feature or a value. In the map, the rows are one dimension, even
// if they are several neighbouring dimensions of the tensor. The tensor's dimensions before the rows are merged into
// one map dimension, and those between rows and columns into another; they select the batch. In this example q is the
// tensor of queries, with the dimensions batch b, head h, position i and feature d:
//
//   tensor           rows         dimensions of the map, innermost first
//   q[b, h, i, d]    i            column d, row i, (b, h) before the rows
//   q[b, i, h, d]    i            column d, row i, h between rows and column, b before the rows
//   q[b, h, i, d]    h, i         column d, row (h, i), b before the rows
//
// A row of the matrix may be a slice of a row of the tensor: x[b, i, 64 h + d] starts at column 64 h. The row dimension
// of the map has the rows of the problem only, so a tile that reaches past them is zero-filled.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"

namespace attnc {

/// The queries, keys or values of all batches as one mapped tensor.
struct MappedMatrix {
  mlir::tensor::ExtractOp extract; ///< the load of an element of the matrix, in the score or in the value
  unsigned firstRow, endRow;       ///< subscripts number firstRow .. endRow - 1 of `extract` are the rows
  MappedTensor tensor;             ///< its box is a tile, or a panel of a tile (SharedTile.h)

  /// Coordinates (i32, innermost dimension first) of row 0 and column 0 of the open batch of the AttendRows that
  /// `sources` refers to. The coordinate number rowDimension is 0; the caller replaces it by the number of the first
  /// row to copy.
  TileBuilder::Values start(AttendSources &sources, TileBuilder &tiles, DeviceFrame &frame) const;
  static constexpr unsigned rowDimension = 1;
};

/// The three mapped tensors of an attention kernel; AttendWarpGroups uses them.
struct AttendMaps {
  MappedMatrix queries, keys, values;

  /// Sets `maps` to the maps for tiles of `tileQueries` queries and `tileKeys` keys, with panels whose rows have
  /// panelBytes(). If TMA cannot copy one of the matrices, returns the reason and leaves `maps` unchanged.
  static Verdict match(const AttendProblem &problem, const AttendMatrices &matrices, int64_t tileQueries,
                       int64_t tileKeys, std::optional<AttendMaps> &maps);
  /// Maps of queries, keys and values, in this order.
  TensorMaps all() const { return TensorMaps({queries.tensor, keys.tensor, values.tensor}); }
};

/// Bytes of a panel row for matrix rows of `columns` elements, a multiple of 16: the largest of 128, 64 and 32 that
/// divides the bytes of a matrix row.
int64_t panelBytes(MatrixType type, int64_t columns);

} // namespace attnc
