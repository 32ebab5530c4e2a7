#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"

using namespace mlir;

namespace attnc {

/// Decode if it supports the problem, unless the schedule chooses prefill.
static AttendForm chooseForm(const AttendProblem &problem) {
  bool wanted = scheduledWord(problem.kernel, "form").value_or("decode") == "decode";
  return wanted && canDecode(problem) ? AttendForm::Decode : AttendForm::Prefill;
}

/// Prefill computes a whole tile of queries for each head of a group. Decode is faster up to four times as many queries
/// as heads share their keys, even if each query reads them. With as many keys as queries, few queries have few keys
/// and decode gains nothing, so only the schedule can choose it.
static int64_t chooseDecodeRows(const AttendProblem &problem) {
  auto form = scheduledWord(problem.kernel, "form");
  bool isWanted = form ? *form == "decode" : !(problem.rows == problem.keys);
  if (!isWanted || problem.rows.isConstant() || !canDecode(problem.withRowsAsBatches()))
    return 0;
  int64_t most = form ? scheduleKey(KernelKind::Attend, "decode_rows").most : 4 * problem.group;
  return scheduled(problem.kernel, "decode_rows").value_or(most);
}

/// The number of last queries that decode computes. The tiles of the others, as wide as the schedule permits, must be
/// whole.
static int64_t chooseLastRows(const AttendProblem &problem, const AttendSchedule &schedule) {
  int64_t most = schedule.lanes * 3 / 8; // decode of more queries takes as long as a vector of them
  if (schedule.form != AttendForm::Prefill || scheduledWord(problem.kernel, "form") ||
      scheduled(problem.kernel, "tail_q") || !problem.rows.isConstant() || problem.rowDims.size() != 1 ||
      problem.classes)
    return 0;
  int64_t rows = problem.rows.constant(), last = rows % schedule.lanes, others = rows - last;
  int64_t vectors = std::min(others / schedule.lanes, schedule.vectors);
  if (last == 0 || last > scheduled(problem.kernel, "decode_rows").value_or(most) || others == 0 ||
      others % (vectors * schedule.lanes) != 0)
    return 0;
  return canDecode(problem.withRowsFrom(others)) ? last : 0;
}

int64_t sumsOfTile(const Target &target) { return target.vectorRegisters >= 32 ? 20 : 12; }

/// More than eight keys run no faster. Few queries often have few keys, which fill a lower tile.
static int64_t tileRowsFor(int64_t vectors, const Target &target) {
  return std::min<int64_t>(sumsOfTile(target) / vectors, 8);
}

/// A tail is worth its code if a number of queries can leave one.
static int64_t chooseTailVectors(const AttendProblem &problem, const AttendSchedule &schedule) {
  if (schedule.form != AttendForm::Prefill || problem.classes || problem.yields(attn::Statistic::KeySums) ||
      schedule.lastRows > 0)
    return 0;
  if (problem.rows.isConstant()) {
    int64_t rows = problem.rows.constant(), rest = rows % schedule.tileQ();
    if (rows < schedule.tileQ() || rest == 0 || rest > schedule.tileQ() / 2)
      return 0;
  }
  int64_t vectors = 1;
  if (auto tailQ = scheduled(problem.kernel, "tail_q"))
    vectors = scheduleKey(KernelKind::Attend, "tail_q").roundedUp(*tailQ, schedule.lanes) / schedule.lanes;
  return vectors < schedule.vectors ? vectors : 0;
}

AttendSchedule AttendSchedule::ofTail(const Target &target) const {
  AttendSchedule tail = *this;
  tail.vectors = tailVectors;
  tail.tailVectors = 0;
  tail.tileRows = tileRowsFor(tailVectors, target);
  return tail;
}

AttendPart wholeTiles(const AttendProblem &problem, const AttendSchedule &schedule) {
  int64_t tileQ = schedule.tileQ(), modulus = problem.classes ? problem.classes->modulus : 1;
  if (schedule.tailVectors == 0)
    return {0, (problem.rows - SizeExpr(schedule.lastRows)).ceilDiv(modulus).ceilDiv(tileQ)};
  return {0, (problem.rows + SizeExpr(tileQ - tileQ / 2 - 1)).floorDiv(tileQ)};
}

AttendPart tailTiles(const AttendProblem &problem, const AttendSchedule &schedule) {
  SizeExpr first = wholeTiles(problem, schedule).tiles * SizeExpr(schedule.tileQ());
  return {first, (SizeExpr::max(problem.rows, first) - first).ceilDiv(schedule.tailQ())};
}

AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target) {
  AttendSchedule schedule;
  schedule.form = chooseForm(problem);
  schedule.decodeRows = chooseDecodeRows(problem);
  schedule.lanes = target.f32Lanes;
  schedule.vectors = target.vectorRegisters >= 32 ? 4 : 3;
  if (!scheduled(problem.kernel, "tile_q"))
    schedule.lastRows = chooseLastRows(problem, schedule);
  // A narrower tile for fewer queries than a tile.
  if (problem.rows.isConstant())
    schedule.vectors = std::clamp<int64_t>(
        (problem.rows.constant() - schedule.lastRows + schedule.lanes - 1) / schedule.lanes, 1, schedule.vectors);
  if (auto tileQ = scheduled(problem.kernel, "tile_q"))
    schedule.vectors = scheduleKey(KernelKind::Attend, "tile_q").roundedUp(*tileQ, schedule.lanes) / schedule.lanes;
  schedule.tileRows = tileRowsFor(schedule.vectors, target);
  schedule.tailVectors = chooseTailVectors(problem, schedule);
  if (auto tileKv = scheduled(problem.kernel, "tile_kv"))
    schedule.tileKv = scheduleKey(KernelKind::Attend, "tile_kv").roundedUp(*tileKv, schedule.lanes);
  if (auto splitKv = scheduled(problem.kernel, "split_kv"))
    schedule.splitKv = scheduleKey(KernelKind::Attend, "split_kv").roundedUp(*splitKv, schedule.lanes);
  return schedule;
}

} // namespace attnc
