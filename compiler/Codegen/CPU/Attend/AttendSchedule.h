//===- AttendSchedule.h - tile sizes of attention -------------------------------------------------------------===//
//
// The prefill schedule keeps C[tileRows][vectors] in registers, with tileRows * vectors accumulators, `vectors`
// operands and a broadcast: 5 x 4 of 32 registers, 4 x 3 of 16 (all). With 24 accumulators an AVX-512 core issues 1.89
// multiply-adds a cycle, with 16 to 20 close to 2. More queries in a tile read keys and values less often. More keys in
// a block make the sums of values visit memory less often; the scores and a part of the queries, keys or values should
// stay in the first-level cache: 128 keys and 64 queries take 32 KB.
//
// Where the number of queries is dynamic, and the decode schedule could compute each of them alone, both are emitted:
// up to `decodeRows` queries of a batch take the decode form, one after the other, more take the prefill form. Where
// the schedule asks for the decode form, these are as many as there may be.
//
// Queries that no whole tile has, up to half of one, take tiles of one vector: of 65 queries 64 and 1, of 20 queries 16
// and 4. Short sequences would compute lanes that nobody reads, and tiles of one vector run at most a fifth slower.
//
// Attributes of the kernel's schedule that are present win: `tile_q`, `tail_q`, `tile_kv`, `form`, `decode_rows`,
// `split_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

enum class AttendForm { Prefill, Decode };

struct AttendSchedule {
  AttendForm form = AttendForm::Prefill;
  int64_t lanes = 16;      ///< of one vector
  int64_t vectors = 4;     ///< of queries in a tile
  int64_t tailVectors = 0; ///< of queries in a tile of the tail; 0: whole tiles take all queries
  int64_t tileRows = 5;    ///< keys (or values) of a register tile
  int64_t tileKv = 128;    ///< keys of a block, a multiple of 16
  int64_t splitKv = 512;   ///< decode: keys of a chunk
  int64_t decodeRows = 0;  ///< prefill: most rows of a batch that take the decode form, where rows are dynamic
  int64_t tileQ() const { return lanes * vectors; }
  int64_t tailQ() const { return lanes * tailVectors; }
  /// The schedule of the tail, whose tiles are its whole ones.
  AttendSchedule ofTail(const Target &target) const;
};

/// Queries of a batch, or of a class of it, that one phase computes: `tiles` of tileQ() queries from `first` on, of
/// which the last may have fewer.
struct AttendPart {
  SizeExpr first, tiles;
};
/// The queries that whole tiles take, and the tail.
AttendPart wholeTiles(const AttendProblem &problem, const AttendSchedule &schedule);
AttendPart tailTiles(const AttendProblem &problem, const AttendSchedule &schedule);

/// Most rows of a batch for which the decode schedule is the faster one.
inline constexpr int64_t mostDecodeRows = 8;
/// As many as `decode_rows` can say: of a dynamic number of rows, so many take the decode form where it is asked for.
inline constexpr int64_t mostAskedDecodeRows = 64;

AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target);

} // namespace attnc
