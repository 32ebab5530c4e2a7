//===- AttendGradientSchedule.h - tile sizes of attention's gradient ------------------------------------------===//
//
// Register tiles are C[rows][vectors]: with 32 registers 4 x 4 (16 sums, 4 operands and a broadcast), or 8 x 1 and
// 8 x 2 for shorter rows; with 16 registers 4 x 2. A panel (KeyPanels.h) has as many keys as a row of the widest tile
// has lanes. The block's two score tiles and the two panels should stay in the nearest caches: 64 queries and 64 keys
// of 64 features take 64 KB, and 128 queries run no faster.
//
// Attributes of the kernel's schedule override these choices: `tile_q`, `tile_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/AttendGradientProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

struct AttendGradientSchedule {
  int64_t lanes = 16;  ///< f32 lanes of a vector
  int64_t vectors = 4; ///< vectors of a row of the widest register tile
  int64_t tileQ = 64;  ///< queries of a block
  int64_t tileKv = 64; ///< keys of a block, a multiple of panelLanes()
  int64_t panelLanes() const { return lanes * vectors; }
  /// Vectors of a row of `columns` floats, and their lanes.
  int64_t vectorsOf(int64_t columns) const { return (columns + lanes - 1) / lanes; }
  int64_t paddedTo(int64_t columns) const { return vectorsOf(columns) * lanes; }
  /// Rows of a register tile of `width` vectors.
  int64_t rowsOf(int64_t width) const { return width <= vectors / 2 ? 8 : 4; }
};

/// Reads the requested schedule of the kernel; the caller records the choices.
AttendGradientSchedule chooseAttendGradientSchedule(const AttendGradientProblem &problem, const Target &target);

} // namespace attnc
