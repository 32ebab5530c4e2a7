#include "compiler/Codegen/CPU/AttendDecode.h"
#include "compiler/Codegen/CPU/AttendPrefill.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"

using namespace mlir;

namespace attnc {

/// Two operations a term of a product and a summed value, five a pair for the score and its exponential. Masks are not
/// counted: the figures are an upper bound.
static KernelCost costOf(const AttendProblem &problem) {
  SizeExpr perPair = 5;
  for (const PairReduction &product : problem.products)
    perPair = perPair + product.features * SizeExpr(2);
  if (problem.hasValue())
    perPair = perPair + problem.values * SizeExpr(2);
  KernelSizes sizes(problem.kernel);
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
  return result;
}

} // namespace attnc
