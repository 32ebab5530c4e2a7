#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradient.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledGradient.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Analysis/OpCost.h"

using namespace mlir;

namespace attnc {

/// Two operations a term of each product, ten a pair for the score, its exponential and their derivatives. Masks are
/// not counted: the figures are an upper bound.
static KernelCost costOf(const AttendGradientProblem &problem) {
  SizeExpr perPair = 10 + 2 * problem.values + (problem.valueResult ? 2 * problem.values : 0);
  for (const GradientDot &dot : problem.dots)
    perPair = perPair + SizeExpr(2 * dot.features * (1 + dot.rowResult.has_value() + dot.keyResult.has_value()));
  for (const GradientTanh &tanh : problem.tanhs)
    perPair = perPair + SizeExpr(20 * tanh.features);
  const AttendProblem &attend = problem.attend;
  KernelSizes sizes(attend.kernel);
  return {attend.batches * attend.rows * attend.keys * perPair, sizes.bytesRead(), sizes.bytesWritten()};
}

/// Each formula once with its derivatives, and two operations a term of a product with the value.
static KernelCost costOf(const PairwiseGradientProblem &problem) {
  const AttendProblem &attend = problem.attend;
  attn::AttendOp op = attend.op;
  KernelSizes sizes(attend.kernel);
  auto flopsOfFormula = [&](Region &region) {
    return flopsOf(region, [&](Value size) { return sizes.valueOf(size); });
  };
  SizeExpr perPair = SizeExpr(10) + flopsOfFormula(op.getScore()) + flopsOfFormula(op.getWeight());
  if (problem.cotangentOf(attn::Statistic::Value))
    perPair = perPair + attend.values * (flopsOfFormula(op.getValue()) + SizeExpr(4));
  return {attend.batches * attend.rows * attend.keys * perPair, sizes.bytesRead(), sizes.bytesWritten()};
}

/// Whether the tiled algorithm supports the kernel and the schedule does not choose the other one.
static Verdict readTiled(func::FuncOp kernel, AttendGradientProblem &problem) {
  if (scheduledWord(kernel, "form") == "pairs")
    return Verdict::no("its schedule has form = pairs");
  return readAttendGradient(kernel, problem);
}

static KernelCode emitTiled(AttendGradientProblem &problem, func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendGradientSchedule schedule = chooseAttendGradientSchedule(problem, target);
  std::string symbol = kernel.getSymName().str();
  KernelCode result;
  auto addPhase = [&](const std::string &name, void (TiledGradient::*emit)(), bool isSplit = false) {
    TiledGradient phase(problem, schedule, target, name, code);
    (phase.*emit)();
    result.phases.push_back({name, isSplit ? phase.chunks() * phase.splits() : phase.chunks()});
    result.workerBytes = SizeExpr::max(result.workerBytes, phase.workerBytes());
    result.sharedBytes = phase.sharedBytes();
  };
  if (problem.splitsKeys) {
    addPhase(symbol + ".clear", &TiledGradient::emitClear);
    addPhase(symbol, &TiledGradient::emitSplits, /*isSplit=*/true);
    addPhase(symbol + ".merge", &TiledGradient::emitMerge);
  } else {
    addPhase(symbol, &TiledGradient::emitWhole);
  }
  if (llvm::any_of(problem.tanhs, std::mem_fn(&GradientTanh::hasShared))) {
    addPhase(symbol + ".shared", &TiledGradient::emitShared);
    result.phases.back().chunks = 1;
  }
  result.cost = costOf(problem);
  recordSchedule(kernel, {{"form", StringRef("tiles")}, {"tile_q", schedule.tileQ}, {"tile_kv", schedule.tileKv}});
  return result;
}

static KernelCode emitPairwise(PairwiseGradientProblem &problem, func::FuncOp kernel, const Target &target,
                               ModuleOp code) {
  std::string symbol = kernel.getSymName().str();
  PairwiseGradient phase(problem, target, symbol, code);
  phase.emit();
  KernelCode result;
  result.phases.push_back({symbol, phase.chunks()});
  result.workerBytes = phase.workerBytes();
  result.cost = costOf(problem);
  recordSchedule(kernel, {{"form", StringRef("pairs")}});
  return result;
}

bool isTiledAttendGradient(func::FuncOp kernel) {
  AttendGradientProblem problem;
  return bool(readTiled(kernel, problem));
}

Verdict supportsAttendGradient(func::FuncOp kernel, const Target &) {
  if (isTiledAttendGradient(kernel))
    return Verdict::yes();
  PairwiseGradientProblem pairwise;
  return readPairwiseGradient(kernel, pairwise);
}

FailureOr<KernelCode> emitAttendGradient(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendGradientProblem tiled;
  if (readTiled(kernel, tiled))
    return emitTiled(tiled, kernel, target, code);
  PairwiseGradientProblem pairwise;
  if (!readPairwiseGradient(kernel, pairwise))
    return failure();
  return emitPairwise(pairwise, kernel, target, code);
}

} // namespace attnc
