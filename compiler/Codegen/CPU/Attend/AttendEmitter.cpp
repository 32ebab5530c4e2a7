#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/OpCost.h"

using namespace mlir;

namespace attnc {

/// What a normaliser does with each score: the greatest, the difference to it, its exponential and the sum; or the sum.
static int64_t flopsOfNormaliser(attn::Normaliser normaliser) {
  static constexpr int64_t flops[] = {4, 1};
  static_assert(std::size(flops) == attn::getMaxEnumValForNormaliser() + 1);
  return flops[static_cast<int>(normaliser)];
}

/// By the definition: each pair has its mask, score and weight and is normalised, then multiplied into each sum.
static KernelCost costOf(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  KernelSizes sizes(problem.kernel);
  auto flopsOfFormula = [&](Region &region) {
    return flopsOf(region, [&](Value size) { return sizes.valueOf(size); });
  };
  SizeExpr perPair = flopsOfNormaliser(op.getNormaliser());
  for (Region *region : {&op.getScore(), &op.getMask(), &op.getWeight()})
    perPair += flopsOfFormula(*region);
  if (problem.hasValue())
    perPair += problem.values * (flopsOfFormula(op.getValue()) + 2);
  return {problem.batches * problem.rows * problem.keys * perPair, sizes.bytesRead(), sizes.bytesWritten()};
}

Verdict supportsAttend(func::FuncOp kernel, const Target &) {
  AttendProblem problem;
  return readAttendProblem(kernel, problem);
}

FailureOr<KernelCode> emitAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  AttendSchedule schedule = chooseAttendSchedule(problem, target);
  KernelCode result;
  result.cost = costOf(problem);
  std::string symbol = kernel.getSymName().str();
  if (schedule.form == AttendForm::Prefill) {
    AttendPrefill prefill(problem, schedule, target, symbol, code);
    prefill.emit();
    result.phases.push_back({symbol, prefill.chunks()});
    result.workerBytes = prefill.workerBytes();
    recordSchedule(kernel,
                   {{"form", StringRef("prefill")}, {"tile_q", schedule.tileQ()}, {"tile_kv", schedule.tileKv}});
    return result;
  }
  AttendDecodeShape shape(problem, schedule);
  AttendDecode parts(problem, schedule, shape, target, symbol, code);
  parts.emitParts();
  AttendDecode merge(problem, schedule, shape, target, symbol + ".merge", code);
  merge.emitMerge();
  result.phases.push_back({symbol, shape.batches * shape.splits});
  result.phases.push_back({symbol + ".merge", shape.batches});
  result.workerBytes = parts.workerBytes();
  result.sharedBytes = shape.sharedBytes();
  recordSchedule(kernel, {{"form", StringRef("decode")}, {"split_kv", schedule.splitKv}});
  return result;
}

} // namespace attnc
