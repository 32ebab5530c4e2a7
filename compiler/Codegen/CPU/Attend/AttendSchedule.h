//===- AttendSchedule.h - tile sizes of attention -------------------------------------------------------------===//
//
// In the prefill algorithm a register tile C[tileRows][vectors] needs tileRows * vectors accumulators, `vectors`
// operands and a broadcast: 5 x 4 of 32 registers, 4 x 3 of 16 (all). With 24 accumulators an AVX-512 core issues 1.89
// multiply-adds a cycle, with 16 to 20 close to 2. With more queries in a tile, keys and values are read less often.
// With more keys in a block, sums of values are loaded and stored less often; the scores and a slice of the queries,
// keys or values should stay in the first-level cache: 128 keys and 64 queries take 32 KB.
//
// If decode supports the problem, all queries use it, unless `form` = prefill is requested. If the number of queries is
// dynamic and not that of the keys, and decode supports each query alone, both algorithms are emitted: up to
// `decodeRows` queries of a batch are computed by decode, one after the other, more of them by prefill. If `form` =
// decode is requested, the number of keys does not matter, and `decodeRows` is by default the largest value that it may
// have.
//
// The remainder after whole tiles, up to half of one, is computed by tiles of one vector: 65 queries are 64 and 1. If
// the number is dynamic, 20 queries are 16 and 4. Whole tiles would compute unused lanes, and tiles of one vector run
// at most a fifth slower.
//
// Attributes of the kernel's schedule override these choices: `tile_q`, `tail_q`, `tile_kv`, `form`, `decode_rows`,
// `split_kv`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

enum class AttendForm { Prefill, Decode };

struct AttendSchedule {
  AttendForm form = AttendForm::Prefill; ///< Prefill also if both algorithms are emitted
  int64_t lanes = 16;                    ///< f32 lanes of a vector
  int64_t vectors = 4;                   ///< vectors of queries in a tile
  int64_t tailVectors = 0; ///< vectors of queries in a tile of the tail; 0: whole tiles compute all queries
  int64_t tileRows = 5;    ///< keys (or values) of a register tile
  int64_t tileKv = 128;    ///< keys of a block, a multiple of 16
  int64_t splitKv = 512;   ///< decode: keys of a chunk
  int64_t decodeRows = 0;  ///< if both algorithms are emitted: the most queries of a batch for decode; otherwise 0
  int64_t tileQ() const { return lanes * vectors; }
  int64_t tailQ() const { return lanes * tailVectors; }
  /// The same schedule with tiles of tailVectors vectors, for the tail. Requires tailVectors > 0.
  AttendSchedule ofTail(const Target &target) const;
};

/// The sums of a register tile: enough in flight to hide the latency of a multiply-add; more than twenty run no faster.
int64_t sumsOfTile(const Target &target);

/// Queries of a batch, or of a residue class, that one phase computes: `tiles` tiles of tileQ() queries from `first`
/// on; the last one may have fewer.
struct AttendPart {
  SizeExpr first, tiles;
};
/// The queries of whole tiles (all of them if tailVectors is 0), and of the tail, in tiles of tailQ(). `schedule` is
/// that of the whole tiles.
AttendPart wholeTiles(const AttendProblem &problem, const AttendSchedule &schedule);
AttendPart tailTiles(const AttendProblem &problem, const AttendSchedule &schedule);

/// The largest number of queries that share keys, those of all heads of a group, for which decode is the faster
/// algorithm and is supported.
inline constexpr int64_t mostDecodeRows = 8;

/// Reads the requested schedule of the kernel; the caller records the choices.
AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target);

} // namespace attnc
