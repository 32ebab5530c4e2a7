//===- AttendMaps.h - queries, keys and values as the hardware copies them ----------------------------------------===//
//
// The rows of a matrix are one dimension of a tensor map (TensorMap.h), for which neighbours in the tensor may stand
// together. What lies before and between those and the columns is one dimension each, and says which batch:
//
//   q[b, h, i, d]    rows i       column d, row i, before b, h
//   q[b, i, h, d]    rows i       column d, row i, between h, before b
//   q[b, h, i, d]    rows h, i    column d, row h i, before b
//
// A row may be a part of one of the tensor: x[b, i, 64 h + d] begins at column 64 h. The map has no rows but those of
// the problem: a tile that reaches past them has zeros there.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"

namespace attnc {

struct MappedMatrix {
  mlir::tensor::ExtractOp extract;
  unsigned firstRow, endRow; ///< the subscripts that number the rows: from one up to the other
  MappedTensor tensor;

  /// Where row 0 of the batch begins; other rows begin at their number in `rowDimension`.
  TileBuilder::Values start(AttendSources &sources, TileBuilder &tiles, DeviceFrame &frame) const;
  static constexpr unsigned rowDimension = 1;
};

struct AttendMaps {
  MappedMatrix queries, keys, values;

  /// In tiles of so many rows, whose panels are as KeyRings has them; or why the hardware does not copy all three.
  static Verdict match(const AttendProblem &problem, const AttendMatrices &matrices, int64_t queriesOfTile,
                       int64_t keysOfTile, std::optional<AttendMaps> &maps);
  /// In this order.
  TensorMaps all() const { return TensorMaps({queries.tensor, keys.tensor, values.tensor}); }
};

/// Bytes of a row of `columns` elements that lie together in a tile: the most that products know, of which the row has
/// whole ones.
int64_t panelBytesOf(MatrixType type, int64_t columns);

} // namespace attnc
