#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

Verdict supportsAttend(func::FuncOp kernel, const Target &) {
  AttendProblem problem;
  return readAttendProblem(kernel, problem);
}

static void emitPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                        StringRef symbol, ModuleOp code, KernelCode &result) {
  auto emitPart = [&](const AttendPart &part, const AttendSchedule &ofPart, const std::string &name) {
    AttendPrefill prefill(problem, ofPart, part, target, name, code);
    prefill.emit();
    result.phases.push_back({name, prefill.chunks()});
    result.workerBytes = SizeExpr::max(result.workerBytes, prefill.workerBytes());
  };
  emitPart(wholeTiles(problem, schedule), schedule, symbol.str());
  if (schedule.tailVectors > 0)
    emitPart(tailTiles(problem, schedule), schedule.ofTail(target), (symbol + ".tail").str());
  if (!problem.yields(attn::Statistic::KeySums))
    return;
  std::string second = (symbol + ".key_sums").str();
  AttendKeySums sums(problem, schedule, second, code);
  sums.emit();
  result.phases.push_back({second, sums.chunks()});
  result.sharedBytes = keySumBytes(problem, schedule);
}

/// Both algorithms. The number of rows decides which one has chunks.
static void emitEither(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                       const std::string &symbol, ModuleOp code, KernelCode &result) {
  int64_t most = schedule.decodeRows;
  SizeExpr areMany = SizeExpr::min(1, problem.rows.floorDiv(most + 1)), areFew = SizeExpr(1) - areMany;
  emitPrefill(problem, schedule, target, symbol, code, result);
  size_t ofMany = result.phases.size();
  for (KernelPhase &phase : result.phases)
    phase.chunks *= areMany;
  AttendProblem alone = problem.withRowsAsBatches();
  emitDecode(alone, schedule, target, symbol + ".few", code, result);
  for (KernelPhase &phase : llvm::drop_begin(result.phases, ofMany))
    phase.chunks *= areFew;
  AttendProblem ofOneRow = alone;
  for (unsigned dimension : problem.rowDims)
    ofOneRow.outerSizes[dimension] = 1;
  result.sharedBytes = DecodeShape(ofOneRow, schedule).sharedBytes() * SizeExpr::min(problem.rows, most) * areFew;
}

/// Prefill for all but the last queries, and decode for these.
static void emitWithLastRows(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                             const std::string &symbol, ModuleOp code, KernelCode &result) {
  emitPrefill(problem, schedule, target, symbol, code, result);
  emitDecode(problem.withRowsFrom(problem.rows.constant() - schedule.lastRows), schedule, target, symbol + ".last",
             code, result);
}

/// Records why keys are not split for all queries, if the schedule chooses decode.
static void explainForm(const AttendProblem &problem, const AttendSchedule &schedule) {
  if (schedule.form == AttendForm::Decode || scheduledWord(problem.kernel, "form") != StringRef("decode"))
    return;
  std::string few =
      "the number of queries is known only at run time; up to decode_rows = " + std::to_string(schedule.decodeRows) +
      " use decode";
  recordDeclined(problem.kernel, "form", schedule.decodeRows > 0 ? few : canDecode(problem).reason);
}

FailureOr<KernelCode> emitAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  AttendSchedule schedule = chooseAttendSchedule(problem, target);
  KernelCode result;
  result.cost = problem.cost();
  std::string symbol = kernel.getSymName().str();
  SmallVector<Choice> choices = {{"form", StringRef(schedule.form == AttendForm::Prefill ? "prefill" : "decode")}};
  if (schedule.form == AttendForm::Prefill)
    choices.append({{"tile_q", schedule.tileQ()}, {"tile_kv", schedule.tileKv}});
  if (schedule.tailVectors > 0 || scheduled(kernel, "tail_q"))
    choices.push_back({"tail_q", schedule.tailQ()});
  int64_t byDecode = std::max(schedule.decodeRows, schedule.lastRows);
  if (byDecode > 0)
    choices.push_back({"decode_rows", scheduled(kernel, "decode_rows").value_or(byDecode)});
  if (schedule.form == AttendForm::Decode || byDecode > 0)
    choices.push_back({"split_kv", schedule.splitKv});
  if (schedule.form == AttendForm::Decode)
    emitDecode(problem, schedule, target, symbol, code, result);
  else if (schedule.decodeRows > 0)
    emitEither(problem, schedule, target, symbol, code, result);
  else if (schedule.lastRows > 0)
    emitWithLastRows(problem, schedule, target, symbol, code, result);
  else
    emitPrefill(problem, schedule, target, symbol, code, result);
  explainForm(problem, schedule);
  recordSchedule(kernel, choices);
  return result;
}

} // namespace attnc
