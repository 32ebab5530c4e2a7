#include "compiler/Codegen/CPU/AttendSchedule.h"
#include "compiler/Codegen/CPU/AttendDecode.h"

using namespace mlir;

namespace attnc {

static std::optional<int64_t> scheduled(DictionaryAttr schedule, StringRef name) {
  if (!schedule)
    return std::nullopt;
  if (auto value = schedule.getAs<IntegerAttr>(name))
    return value.getInt();
  return std::nullopt;
}

/// Decode where it can, unless the schedule says otherwise.
static AttendForm chooseForm(const AttendProblem &problem, DictionaryAttr schedule) {
  auto form = schedule ? schedule.getAs<StringAttr>("form") : StringAttr();
  bool wanted = !form || form == "decode";
  return wanted && canDecode(problem) ? AttendForm::Decode : AttendForm::Prefill;
}

AttendSchedule chooseAttendSchedule(const AttendProblem &problem, const Target &target) {
  auto attribute = const_cast<func::FuncOp &>(problem.kernel)->getAttrOfType<DictionaryAttr>("attn.schedule");
  AttendSchedule schedule;
  schedule.form = chooseForm(problem, attribute);
  schedule.lanes = target.f32Lanes;
  schedule.tileRows = target.vectorRegisters >= 32 ? 8 : 4;
  // Fewer queries than a tile holds: a narrower tile.
  if (problem.rows.isConstant() && problem.rows.constant() <= 2 * schedule.lanes)
    schedule.vectors = std::max<int64_t>(1, (problem.rows.constant() + schedule.lanes - 1) / schedule.lanes);
  if (auto tileQ = scheduled(attribute, "tile_q"))
    schedule.vectors = std::clamp<int64_t>((*tileQ + schedule.lanes - 1) / schedule.lanes, 1, 4);
  if (schedule.vectors == 1)
    schedule.tileRows *= 2; // enough sums in flight to hide the latency of a multiply-add
  if (auto tileKv = scheduled(attribute, "tile_kv"))
    schedule.tileKv = std::clamp<int64_t>((*tileKv + 15) / 16 * 16, 16, 1024);
  if (auto splitKv = scheduled(attribute, "split_kv"))
    schedule.splitKv = std::max<int64_t>(*splitKv, 16);
  return schedule;
}

} // namespace attnc
