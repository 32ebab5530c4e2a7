#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/GemmPhase.h"
#include "compiler/Codegen/CPU/Gemm/GroupedOuterProduct.h"
#include "compiler/Codegen/CPU/Gemm/GroupedRows.h"
#include "compiler/Codegen/CPU/Gemm/SplitKGemm.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

Verdict supportsGemm(func::FuncOp kernel, const Target &target) {
  std::optional<GemmProblem> problem;
  if (Verdict v = GemmProblem::match(kernel, problem); !v)
    return v;
  if (problem->packing && problem->packing->nr % target.f32Lanes != 0)
    return Verdict::no("its panels are not whole vectors");
  // A vector must not cross from one value of an outer column loop to the next.
  unsigned loops = 0;
  int64_t inner = 0;
  for (unsigned loop : problem->loopsOf(LoopGroup::Column))
    if (SizeExpr size = problem->loopSizes[loop]; !(size == SizeExpr(1))) {
      ++loops;
      inner = size.isConstant() ? size.constant() : 1;
    }
  if (loops > 1 && inner % target.f32Lanes != 0)
    return Verdict::no("the innermost dimension of its result is not a whole number of vectors");
  return Verdict::yes();
}

FailureOr<KernelCode> emitGemm(func::FuncOp kernel, const Target &target, ModuleOp code) {
  std::optional<GemmProblem> problem;
  if (!GemmProblem::match(kernel, problem))
    return failure();
  KernelCost cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  if (std::optional<SplitKSchedule> split = SplitKSchedule::choose(*problem, target)) {
    KernelCode result = emitSplitKGemm(*problem, *split, code);
    result.cost = cost;
    recordSchedule(kernel, {{"mr", split->mr}, {"nr", split->nr}, {"kc", split->kc}});
    return result;
  }
  GemmSchedule schedule(*problem, target);
  KernelCode result;
  std::string name = kernel.getSymName().str();
  if (problem->selector) {
    KernelFrame frame(kernel, name + ".sort", code);
    emitSortPhase(*problem, schedule, frame);
    result.phases.push_back({name + ".sort", SizeExpr(1)});
    result.sharedBytes = GroupedRows::sharedBytes(*problem);
  } else if (!problem->packing && !schedule.dots && !schedule.readsRight && !schedule.packsPanels) {
    KernelFrame frame(kernel, name + ".pack", code);
    emitPackPhase(*problem, schedule, frame);
    SizeExpr panels = problem->extent(LoopGroup::Batch) * schedule.panels;
    result.phases.push_back({name + ".pack", panels});
    result.sharedBytes =
        (panels * problem->extent(LoopGroup::Depth) * SizeExpr(schedule.nr * 4)).alignTo(scratchAlignment);
  }
  KernelFrame frame(kernel, name, code);
  if (problem->isOuterProduct()) {
    emitGroupedOuterProduct(*problem, schedule, frame);
    result.workerBytes = outerProductBytes(schedule);
  } else {
    emitGemmPhase(*problem, schedule, frame);
    result.workerBytes = schedule.workerBytes(*problem);
  }
  result.phases.push_back({name, schedule.chunks(*problem)});
  result.cost = cost;
  if (schedule.dots)
    recordSchedule(kernel, {{"nr", schedule.nr}});
  else
    recordSchedule(kernel,
                   {{"mr", schedule.mr}, {"nr", schedule.nr}, {"kc", schedule.kc}, {"mc", schedule.blockRows()}});
  return result;
}

} // namespace attnc
