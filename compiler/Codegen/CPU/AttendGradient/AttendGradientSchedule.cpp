#include "compiler/Codegen/CPU/AttendGradient/AttendGradientSchedule.h"

using namespace mlir;

namespace attnc {

static int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

AttendGradientSchedule chooseAttendGradientSchedule(const AttendGradientProblem &problem, const Target &target) {
  AttendGradientSchedule schedule;
  schedule.lanes = target.f32Lanes;
  schedule.vectors = target.vectorRegisters >= 32 ? 4 : 2;
  const AttendProblem &attend = problem.attend;
  if (attend.rows.isConstant())
    schedule.tileQ = std::clamp<int64_t>(roundUp(attend.rows.constant(), 8), 8, schedule.tileQ);
  if (attend.keys.isConstant())
    schedule.tileKv = std::min(schedule.tileKv, std::max<int64_t>(attend.keys.constant(), 1));
  if (auto tileQ = scheduled(attend.kernel, "tile_q"))
    schedule.tileQ = std::clamp<int64_t>(roundUp(*tileQ, 8), 8, 1024);
  if (auto tileKv = scheduled(attend.kernel, "tile_kv"))
    schedule.tileKv = std::clamp<int64_t>(*tileKv, 1, 1024);
  schedule.tileKv = roundUp(schedule.tileKv, schedule.panelLanes());
  return schedule;
}

} // namespace attnc
