//===- BodyIndices.h - index values in the body of an op, by role -------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"

namespace attnc {

/// Roles of an op's loops (of an attend's outer indices), by number.
struct IndexRoles {
  std::optional<unsigned> position, row;
  std::optional<unsigned> key; ///< of an attend: the key index that is a position
  /// The time step of the scan along the positions that contains the op: the position, if no loop of the op is.
  mlir::Value timeStep = {};

  bool hasPosition() const { return position || timeStep; }
};

/// Index values of the body of `owner`, a linalg.generic or an attn.attend, by role. Casts between index and i32 are
/// skipped.
class BodyIndices {
public:
  BodyIndices(mlir::Operation *owner, IndexRoles roles) : owner(owner), roles(roles) {}
  bool isPosition(mlir::Value value) const { return isLoop(value, roles.position) || isTimeStep(value); }
  bool isTimeStep(mlir::Value value) const { return roles.timeStep && stripCasts(value) == roles.timeStep; }
  bool isRow(mlir::Value value) const { return isLoop(value, roles.row); }
  bool isKey(mlir::Value value) const;
  /// Coefficients of `position * i + key * j + constant`; null if the value is not such a sum.
  struct Linear {
    int64_t position = 0, key = 0, constant = 0;
  };
  std::optional<Linear> read(mlir::Value value) const;
  /// The value without casts between index and i32.
  static mlir::Value stripCasts(mlir::Value value);

  mlir::Operation *owner;
  IndexRoles roles;

private:
  bool isLoop(mlir::Value value, std::optional<unsigned> loop) const;
};

/// Whether a number is `index`, or computed from it by ops on numbers.
bool dependsOn(mlir::Value number, mlir::Value index);

/// Bounds that the mask of an attend implies for a key j and a position i of an unmasked pair: j - i <= ahead, i - j <=
/// behind.
struct MaskBounds {
  std::optional<int64_t> ahead, behind;
};
MaskBounds maskBounds(mlir::attn::AttendOp op, const BodyIndices &indices);

} // namespace attnc
