//===- AttendTile.h - how attention is computed by Halide ---------------------------------------------------------===//
//
// A chunk has the queries of one **tile**, `lanes * vectors` of them in the lanes, and all of their keys, in one of two
// forms. Scores, weights and sums of values have queries innermost, so that nothing is summed across lanes.
//
//   two_pass   for keys, a register tile at a time:  score = f(sum over features)           kept: queries x keys
//              largest, weight = exp(score - largest), sum                                  kept: queries x keys
//              for blocks of keys: for values, a register tile at a time:  += weight * value
//
//   online     for blocks of keys:                                                          kept: queries x block
//                scores, their largest, weights and sum of the block; sums of its values
//                (result, largest, sum) = both scaled to the larger of both largest         a reduction of tuples
//
// As a text: `two_pass queries(16 x 4) keys(4) values(4) block(64)`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/AttendPipeline.h"
#include "compiler/Codegen/Halide/StageSchedule.h"
#include <string>
#include <string_view>

namespace attnc::halide {

struct AttendTile {
  enum class Form { TwoPass, Online } form = Form::TwoPass;
  int64_t lanes = 16, vectors = 4; ///< queries
  int64_t keys = 4;                ///< of a register tile of scores
  int64_t values = 4;              ///< of a register tile of sums
  int64_t block = 64;              ///< keys whose values are summed before the next ones'

  int64_t queries() const { return lanes * vectors; }
};

/// "two_pass", "online".
std::string_view nameOf(AttendTile::Form form);
std::optional<AttendTile::Form> attendFormNamed(std::string_view name);

/// Nothing where no tile fits on the stack.
std::optional<AttendTile> chooseAttendTile(const AttendPipeline &pipeline, const Machine &machine,
                                           AttendTile::Form form);

std::string textOf(const AttendTile &tile);
/// The tile that the text is; nothing where it is none, and `error` says where and what was expected.
std::optional<AttendTile> parseAttendTile(const AttendPipeline &pipeline, const Machine &machine, std::string_view text,
                                          std::string &error);

} // namespace attnc::halide
