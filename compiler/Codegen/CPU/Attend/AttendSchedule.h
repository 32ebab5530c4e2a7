//===- AttendSchedule.h - algorithm and tile sizes of attention ---------------------------------------------------===//
//
// An attention kernel is computed by the prefill algorithm (AttendPrefill.h), by the decode algorithm (AttendDecode.h),
// or has code for both.
//
// **Prefill.** Queries are in the lanes. A register tile C[tileRows][vectors] has tileRows keys (or values) and
// `vectors` vectors of queries. It needs tileRows * vectors accumulators, `vectors` operands and a broadcast: 5 x 4 of
// 32 registers, or 4 x 3 of 16, which are then all in use. With 24 accumulators an AVX-512 core issues 1.89
// multiply-adds a cycle, with 16 to 20 close to 2. With more queries in a tile, keys and values are read less often.
// With more keys in a block, sums of values are loaded and stored less often. The scores of a block and a slice of the
// queries, keys or values should stay in the first-level cache: scores of 128 keys and 64 queries take 32 KB.
//
// **Choice of the algorithm.** If canDecode() accepts the problem, decode computes all queries, unless `form` = prefill
// is requested. Otherwise prefill does, with one exception. Code for both algorithms is emitted if the number of
// queries is dynamic, decode supports each query alone, this number is not the number of keys, and `form` = prefill is
// not requested: at run time, decode computes up to `decodeRows` queries of a batch, each as a batch of its own, and
// prefill computes more. The default of `decodeRows` is four times the heads of a head group. If `form` = decode is
// requested, the number of queries may also be that of the keys, and the default is the largest value that the key
// permits (ScheduleKeys.h).
//
// **Tail.** A remainder of queries after whole tiles of at most half a tile is computed by tiles of one vector. With
// tiles of 64 and vectors of 16 queries, 65 queries are 64 and 1; if the number of queries is dynamic, 20 queries are
// 16 and 4. Whole tiles would compute unused lanes, and tiles of one vector run at most a fifth slower. There is no
// tail under a dilated mask, if `key_sums` is a result, if a constant number of queries is less than a tile, if a tile
// has one vector, or if `tail_q` is 0 or not less than the tile.
//
// A few queries after whole vectors of a constant number of queries are computed by decode, which takes less time than
// a vector of mostly unused lanes: 49 queries are a tile of 48, and 1 by decode. This requires that decode supports
// these queries, that tiles of equal size compute the others, and that `form`, `tile_q` and `tail_q` are not requested.
//
// Requests in the kernel's `attn.schedule` replace these choices: `tile_q`, `tail_q`, `tile_kv`, `form`, `decode_rows`,
// `split_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

enum class AttendForm { Prefill, Decode };

/// The schedule of one kernel. chooseAttendSchedule() returns it; the values below are only its defaults.
struct AttendSchedule {
  AttendForm form = AttendForm::Prefill; ///< Prefill also if both algorithms are emitted
  int64_t lanes = 16;                    ///< f32 lanes of a vector
  int64_t vectors = 4;                   ///< prefill: vectors of queries in a tile
  int64_t tailVectors = 0; ///< prefill: vectors of queries in a tile of the tail; 0: no tail, whole tiles compute all
  int64_t tileRows = 5;    ///< prefill: keys (or values) of a register tile
  int64_t tileKv = 128;    ///< prefill: keys of a block, a multiple of 16
  int64_t splitKv = 512;   ///< decode: keys of a split
  int64_t decodeRows = 0;  ///< the largest number of queries of a batch for decode, if both are emitted; otherwise 0
  int64_t lastRows = 0;    ///< the number of last queries of a batch that decode computes, beside prefill
  int64_t tileQ() const { return lanes * vectors; }     ///< queries of a tile
  int64_t tailQ() const { return lanes * tailVectors; } ///< queries of a tile of the tail
  /// The schedule of the phase that computes the tail: its `vectors` are tailVectors. Requires tailVectors > 0.
  AttendSchedule ofTail(const Target &target) const;
};

/// The most accumulators of a register tile: 20 with at least 32 vector registers, otherwise 12. So many hide the
/// latency of a multiply-add, and more than twenty run no faster.
int64_t sumsOfTile(const Target &target);

/// The queries of a batch (or of a residue class, under a dilated mask) that one phase of prefill computes: `tiles`
/// tiles of tileQ() queries from query `first` on. The last tile may have fewer queries.
struct AttendPart {
  SizeExpr first, tiles;
};
/// The queries that whole tiles compute (all but `lastRows` if tailVectors is 0), and those of the tail, in tiles of
/// tailQ() queries.
/// `schedule` is that of the whole tiles. tailTiles requires tailVectors > 0.
AttendPart wholeTiles(const AttendProblem &problem, const AttendSchedule &schedule);
AttendPart tailTiles(const AttendProblem &problem, const AttendSchedule &schedule);

/// The largest number of rows that share keys for which decode is supported, because it is the faster algorithm. The
/// rows are the queries of all heads of a head group.
inline constexpr int64_t mostDecodeRows = 8;

/// Chooses the schedule, with the requests in `attn.schedule` of the kernel. tile_q, tail_q, tile_kv and split_kv are
/// rounded up to whole units in the range of their key (ScheduleKeys.h). The caller records the choices on the kernel.
AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target);

} // namespace attnc
