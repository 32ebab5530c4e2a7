#include "compiler/Codegen/CPU/AttendGradient/AttendGradientSchedule.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

AttendGradientSchedule chooseAttendGradientSchedule(const AttendGradientProblem &problem, const Target &target) {
  AttendGradientSchedule schedule;
  schedule.lanes = target.f32Lanes;
  schedule.vectors = target.vectorRegisters >= 32 ? 4 : 2;
  const AttendProblem &attend = problem.attend;
  const ScheduleKey &queries = scheduleKey(KernelKind::AttendGradient, "tile_q");
  if (attend.rows.isConstant())
    schedule.tileQ = std::min(queries.roundedUp(attend.rows.constant(), schedule.lanes), schedule.tileQ);
  if (attend.keys.isConstant())
    schedule.tileKv = std::min(schedule.tileKv, std::max<int64_t>(attend.keys.constant(), 1));
  if (auto tileQ = scheduled(attend.kernel, "tile_q"))
    schedule.tileQ = queries.roundedUp(*tileQ, schedule.lanes);
  if (auto tileKv = scheduled(attend.kernel, "tile_kv"))
    schedule.tileKv = scheduleKey(KernelKind::AttendGradient, "tile_kv").roundedUp(*tileKv, schedule.lanes);
  schedule.tileKv = llvm::alignTo(schedule.tileKv, schedule.panelLanes());
  return schedule;
}

} // namespace attnc
