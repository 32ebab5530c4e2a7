//===- AttendGradientSchedule.h - tile sizes of the tiled gradient of attention -----------------------------------===//
//
// The tiled algorithm (Tiled/TiledGradient.h) computes blocks of tileQ queries and tileKv keys. Its matrix products use
// register tiles C[rows][vectors]: with 32 registers 4 x 4 (16 sums, 4 operands and a broadcast), or 4 x 3, 8 x 2 and
// 8 x 1 for shorter rows; with 16 registers 4 x 2, or 8 x 1. A panel (Tiled/KeyPanels.h) has panelLanes() keys, as many
// as a row of the widest tile has lanes. The block's two score tiles and the two panels should stay in the nearest
// caches: for 64 queries and 64 keys of 64 features they take 64 KB, and 128 queries run no faster.
//
// Requests in the kernel's `attn.schedule` replace these choices: `tile_q`, `tile_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/AttendGradientProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The schedule of one kernel. chooseAttendGradientSchedule() returns it; the values below are only its defaults.
struct AttendGradientSchedule {
  int64_t lanes = 16;                                    ///< f32 lanes of a vector
  int64_t vectors = 4;                                   ///< vectors of a row of the widest register tile
  int64_t tileQ = 64;                                    ///< queries of a block
  int64_t tileKv = 64;                                   ///< keys of a block, a multiple of panelLanes()
  int64_t panelLanes() const { return lanes * vectors; } ///< keys of a panel
  /// The number of vectors that hold `columns` floats, and the number of lanes of these vectors.
  int64_t vectorsOf(int64_t columns) const { return (columns + lanes - 1) / lanes; }
  int64_t paddedTo(int64_t columns) const { return vectorsOf(columns) * lanes; }
  /// The number of rows of a register tile with `width` vectors in a row. For blocks that a causal mask cuts,
  /// ScoreGradients.cpp has register tiles of TrimmedTiles::step rows instead.
  int64_t rowsOf(int64_t width) const { return width <= vectors / 2 ? 8 : 4; }
};

/// Chooses the tile sizes: the defaults or fewer, if the number of queries or keys is constant and smaller, or the
/// requests in `attn.schedule` of problem.attend.kernel, limited to the range of their key (ScheduleKeys.h). tileQ is
/// rounded up to a multiple of 8, and tileKv to one of panelLanes(). The caller records the choices on the kernel.
AttendGradientSchedule chooseAttendGradientSchedule(const AttendGradientProblem &problem, const Target &target);

} // namespace attnc
