#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

/// Two operations a term of each product, ten a pair for the score, its exponential and their derivatives. Masks are
/// not counted: the figures are an upper bound.
static KernelCost costOf(const AttendGradientProblem &problem) {
  SizeExpr perPair = 10 + 2 * problem.values + (problem.valueResult ? 2 * problem.values : 0);
  for (const GradientDot &dot : problem.dots)
    perPair = perPair + SizeExpr(2 * dot.features * (1 + dot.rowResult.has_value() + dot.keyResult.has_value()));
  const AttendProblem &attend = problem.attend;
  KernelSizes sizes(attend.kernel);
  return {attend.batches * attend.rows * attend.keys * perPair, sizes.bytesRead(), sizes.bytesWritten()};
}

Verdict supportsAttendGradient(func::FuncOp kernel, const Target &) {
  AttendGradientProblem problem;
  return readAttendGradient(kernel, problem);
}

FailureOr<KernelCode> emitAttendGradient(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendGradientProblem problem;
  if (!readAttendGradient(kernel, problem))
    return failure();
  AttendGradientSchedule schedule = chooseAttendGradientSchedule(problem, target);
  std::string symbol = kernel.getSymName().str();
  KernelCode result;
  auto addPhase = [&](const std::string &name, void (AttendGradient::*emit)(), bool isSplit = false) {
    AttendGradient phase(problem, schedule, target, name, code);
    (phase.*emit)();
    result.phases.push_back({name, isSplit ? phase.chunks() * phase.splits() : phase.chunks()});
    result.workerBytes = SizeExpr::max(result.workerBytes, phase.workerBytes());
    result.sharedBytes = phase.sharedBytes();
  };
  if (problem.splitsKeys) {
    addPhase(symbol + ".clear", &AttendGradient::emitClear);
    addPhase(symbol, &AttendGradient::emitSplits, /*isSplit=*/true);
    addPhase(symbol + ".merge", &AttendGradient::emitMerge);
  } else {
    addPhase(symbol, &AttendGradient::emitWhole);
  }
  result.cost = costOf(problem);
  recordSchedule(kernel, {{"tile_q", schedule.tileQ}, {"tile_kv", schedule.tileKv}});
  return result;
}

} // namespace attnc
