//===- BodyIndices.h - roles of index values in the body of an op: position, row, key -----------------------------===//
//
// In the body of a linalg.generic or attn.attend, an index may be the position along the incremental dimension, the
// number of a row, or a key that is a position (Incremental.h, PositionDims.h). BodyIndices classifies the values of a
// body accordingly, and maskBounds() derives how far apart the query and the key of an unmasked pair may be.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"

namespace attnc {

/// The loops of a linalg.generic, or the outer indices of an attn.attend, that have a role, by number; null if none
/// has.
struct IndexRoles {
  std::optional<unsigned> position, row;
  std::optional<unsigned> key; ///< of an attend: the number, among the key indices, of the one that is a position
  /// The induction variable of the scan along the positions around the op, if no loop of the op is the position. The
  /// time step is then the position. Null otherwise.
  mlir::Value timeStep = {};

  bool hasPosition() const { return position || timeStep; }
};

/// The index values in the body of `owner`, a linalg.generic or an attn.attend, by role. A value that is cast between
/// index and i32 has the role of the value before the casts.
class BodyIndices {
public:
  BodyIndices(mlir::Operation *owner, IndexRoles roles) : owner(owner), roles(roles) {}
  bool isPosition(mlir::Value value) const { return isLoop(value, roles.position) || isTimeStep(value); }
  bool isTimeStep(mlir::Value value) const { return roles.timeStep && stripCasts(value) == roles.timeStep; }
  bool isRow(mlir::Value value) const { return isLoop(value, roles.row); }
  bool isKey(mlir::Value value) const;
  /// Coefficients of `position * i + key * j + constant`, where i is the position index and j the key index.
  struct Linear {
    int64_t position = 0, key = 0, constant = 0;
  };
  /// Reads sums and differences of i, j and constants; null for any other value.
  std::optional<Linear> read(mlir::Value value) const;
  /// The value without casts between index and i32.
  static mlir::Value stripCasts(mlir::Value value);

  mlir::Operation *owner;
  IndexRoles roles;

private:
  bool isLoop(mlir::Value value, std::optional<unsigned> loop) const;
};

/// True if the scalar `number` is `index`, or computed from it by ops without regions; a load counts if one of its
/// subscripts is.
bool dependsOn(mlir::Value number, mlir::Value index);

/// Bounds that the mask of an attend implies for each unmasked pair of position i and key j: j - i <= ahead, and
/// i - j <= behind. Null: no bound was found.
struct MaskBounds {
  std::optional<int64_t> ahead, behind;
};
/// The bounds of the mask of `op`, from signed comparisons of sums of i, j and constants; max(a, b) <= c, as of a
/// magnitude, is a <= c and b <= c. These are joined by `and`, or negated and joined by `or` under the negation; a
/// plain `or` implies no bounds. `indices` is that of `op`. No bounds if `op` has no mask.
MaskBounds maskBounds(mlir::attn::AttendOp op, const BodyIndices &indices);

} // namespace attnc
