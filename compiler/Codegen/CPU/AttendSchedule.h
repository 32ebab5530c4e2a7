//===- AttendSchedule.h - tile sizes of attention -------------------------------------------------------------===//
//
// The prefill schedule keeps C[tileRows][vectors] in registers, with tileRows * vectors accumulators, `vectors`
// operands and a broadcast: 8 x 3 of 32 registers (28 in use), 4 x 3 of 16 (all). More keys in a block make the sums of
// values visit memory less often; the scores, the queries and a part of the keys or values should stay in the
// first-level cache: 96 keys and 48 queries take 18 KB.
//
// Attributes of the kernel's schedule that are present win: `tile_q`, `tile_kv`, `form`, `split_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendProblem.h"
#include "compiler/Codegen/Target.h"

namespace attnc {

enum class AttendForm { Prefill, Decode };

struct AttendSchedule {
  AttendForm form = AttendForm::Prefill;
  int64_t lanes = 16;    ///< of one vector
  int64_t vectors = 3;   ///< of queries in a tile
  int64_t tileRows = 8;  ///< keys (or values) of a register tile
  int64_t tileKv = 96;   ///< keys of a block
  int64_t splitKv = 512; ///< decode: keys of a chunk
  int64_t tileQ() const { return lanes * vectors; }
};

/// Most rows of a batch for which the decode schedule is the faster one.
inline constexpr int64_t mostDecodeRows = 8;

AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target);

} // namespace attnc
