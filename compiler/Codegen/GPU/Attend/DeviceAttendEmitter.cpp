#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/GPU/Attend/DeviceAttend.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"

using namespace mlir;

namespace attnc {

Verdict supportsDeviceAttend(func::FuncOp kernel) {
  AttendProblem problem;
  Verdict verdict = readAttendProblem(kernel, problem);
  return verdict ? canAttendOnDevice(problem) : verdict;
}

FailureOr<KernelCode> emitDeviceAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  KernelPhase phase = DeviceAttend(problem, target, kernel.getSymName(), code).emit();
  recordSchedule(kernel, {{"tile_q", DeviceAttendShape(problem).rows}, {"tile_kv", warpThreads}});
  return KernelCode{{phase}, 0, 0, problem.cost()};
}

} // namespace attnc
