//===- AttendSchedule.h - tile sizes of attention -------------------------------------------------------------===//
//
// The prefill schedule keeps C[rowsOfTile][vectors] in registers, with rowsOfTile * vectors accumulators, `vectors`
// operands and one broadcast. With 32 registers of 16 lanes that is 8 x 3 (28 in use), with 16 of 8 lanes 4 x 3... of
// which 12 + 3 + 1 fill the file. A block of `tileKv` keys is chosen so that its scores, the queries and the sums of
// values stay in the first-level cache:  4 * tileQ * (tileKv + features + values) <= 48 KB for head sizes up to 128.
//
// Attributes of the kernel's schedule that are present win: `tile_q`, `tile_kv`, `form`, `split_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendProblem.h"
#include "compiler/Codegen/Target.h"

namespace attnc {

enum class AttendForm { Prefill, Decode, BySize };

struct AttendSchedule {
  AttendForm form = AttendForm::Prefill;
  int64_t lanes = 16;    ///< of one vector
  int64_t vectors = 3;   ///< of queries in a tile
  int64_t tileRows = 8;  ///< keys (or values) of a register tile
  int64_t tileKv = 64;   ///< keys of a block
  int64_t splitKv = 512; ///< decode: keys of a chunk
  int64_t tileQ() const { return lanes * vectors; }
};

/// Most rows of a batch for which the decode schedule is the faster one.
inline constexpr int64_t mostDecodeRows = 8;

AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target);

} // namespace attnc
