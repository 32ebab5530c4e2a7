//===- ScheduleKeys.h - the keys of kernel schedules and their ranges ---------------------------------------------===//
//
// The table of all keys that `attn.schedule` of a kernel may have, by kind of kernel. Strategies reject values outside
// the range (compiler/Schedule), `attnc tune` searches in the range, and the help text prints it. Bounds are numbers of
// units. A unit is `step` elements, or `step` vectors of the target, whose elements are its lanes:
//
//   scheduleKey(KernelKind::Attend, "tile_q")       1 to 4 vectors: with 16 lanes 16, 32, 48 or 64
//   scheduleKey(KernelKind::Gemm, "kc")             1 to 1024 units of 4: 4, 8, ..., 4096
//
// A hand-written module may request a number that no strategy has validated. For some keys, the emitter `cpu` rounds
// such a number up to whole units in the range (roundedUp): tile_q, tail_q, tile_kv and split_kv of attend and
// attend_gradient, and rows_per_chunk in Rows.cpp. For other keys it does not test the range: the keys of gemm and
// loops, decode_rows, and rows_per_chunk in RowsInLanes.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <algorithm>
#include <string_view>

namespace attnc {

/// A key of schedules of one kind of kernels. Its values are integers from a range; or one of `words`, if there are
/// any; or any text, if `isText`.
struct ScheduleKey {
  KernelKind kind;
  std::string_view name, meaning; ///< the key; its description in help texts
  int64_t least = 0, most = 0;    ///< the range, in units
  int64_t step = 1;               ///< a unit is this many elements, or vectors if `inVectors`
  bool inVectors = false;
  llvm::ArrayRef<llvm::StringLiteral> words = {}; ///< the values, if they are not numbers
  bool isText = false;                            ///< any text; the emitter validates it

  /// Elements of a unit on a target with vectors of `lanes`.
  constexpr int64_t unit(int64_t lanes) const { return step * (inVectors ? lanes : 1); }
  /// For a key with a range: whether `value` elements are whole units in the range.
  bool accepts(int64_t value, int64_t lanes) const {
    return value % unit(lanes) == 0 && value >= least * unit(lanes) && value <= most * unit(lanes);
  }
  /// For a key with a range: `value` elements rounded up to whole units, then clamped to the range; in elements.
  int64_t roundedUp(int64_t value, int64_t lanes) const {
    int64_t size = unit(lanes);
    return std::clamp((value + size - 1) / size, least, most) * size;
  }
};

inline constexpr llvm::StringLiteral attendForms[] = {"prefill", "decode"};
inline constexpr llvm::StringLiteral attendGradientForms[] = {"tiles", "pairs"};

/// All keys, in the order in which help texts print them.
inline constexpr ScheduleKey scheduleKeyTable[] = {
    {.kind = KernelKind::Attend,
     .name = "form",
     .meaning = "many queries at once, or few against many keys",
     .words = attendForms},
    {.kind = KernelKind::Attend,
     .name = "tile_q",
     .meaning = "prefill: queries of a register tile",
     .least = 1,
     .most = 4,
     .inVectors = true},
    {.kind = KernelKind::Attend,
     .name = "tail_q",
     .meaning = "prefill: queries of the tile for the remainder; 0: a whole tile",
     .least = 0,
     .most = 3,
     .inVectors = true},
    {.kind = KernelKind::Attend,
     .name = "tile_kv",
     .meaning = "prefill: keys of a block",
     .least = 1,
     .most = 64,
     .step = 16},
    {.kind = KernelKind::Attend,
     .name = "decode_rows",
     .meaning = "prefill: largest number of queries that are computed by decode: of all queries, if their number is "
                "dynamic (then both algorithms are emitted), or of those after whole vectors, if it is a constant",
     .least = 0,
     .most = 64},
    {.kind = KernelKind::Attend,
     .name = "split_kv",
     .meaning = "decode: keys of a split",
     .least = 1,
     .most = 65536,
     .step = 16},
    {.kind = KernelKind::AttendGradient,
     .name = "form",
     .meaning = "products in tiles, or any formula pair by pair",
     .words = attendGradientForms},
    {.kind = KernelKind::AttendGradient,
     .name = "tile_q",
     .meaning = "tiles: queries of a block",
     .least = 1,
     .most = 128,
     .step = 8},
    {.kind = KernelKind::AttendGradient,
     .name = "tile_kv",
     .meaning = "tiles: keys of a block, in whole panels",
     .least = 1,
     .most = 64,
     .step = 16},
    {.kind = KernelKind::Gemm, .name = "mr", .meaning = "rows of a register tile", .least = 1, .most = 14},
    {.kind = KernelKind::Gemm,
     .name = "nr",
     .meaning = "columns of a register tile, and of a packed panel",
     .least = 1,
     .most = 4,
     .inVectors = true},
    {.kind = KernelKind::Gemm,
     .name = "kc",
     .meaning = "depth of a block, after which partial sums are stored",
     .least = 1,
     .most = 1024,
     .step = 4},
    {.kind = KernelKind::Gemm, .name = "mc", .meaning = "rows of a block, in whole tiles", .least = 1, .most = 4096},
    {.kind = KernelKind::Rows,
     .name = "rows_per_chunk",
     .meaning = "rows of a chunk; 0: as many as have about 32768 elements",
     .least = 0,
     .most = 1 << 20},
    {.kind = KernelKind::Loops,
     .name = "chunk",
     .meaning = "points of a chunk, in whole vectors and rows",
     .least = 1,
     .most = 1 << 30},
    {.kind = KernelKind::Gemm, .name = "halide", .meaning = "Halide's schedule", .isText = true},
    {.kind = KernelKind::Loops, .name = "halide", .meaning = "Halide's schedule", .isText = true},
};

/// The row of the table for this kind and name; null if there is none.
constexpr const ScheduleKey *findScheduleKey(KernelKind kind, std::string_view name) {
  for (const ScheduleKey &key : scheduleKeyTable)
    if (key.kind == kind && key.name == name)
      return &key;
  return nullptr;
}

/// The same for constant arguments; a name that does not exist is an error when attnc is compiled.
consteval const ScheduleKey &scheduleKey(KernelKind kind, std::string_view name) {
  return *findScheduleKey(kind, name);
}

} // namespace attnc
