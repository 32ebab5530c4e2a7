#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
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
  StringRef symbol = kernel.getSymName();
  std::optional<AttendMatrices> matrices;
  if (AttendMatrices::match(problem, matrices)) {
    AttendTiles attend(problem, *matrices, target, symbol, code);
    KernelPhase phase = attend.emit();
    recordSchedule(kernel, {{"tile_q", AttendTiles::queries}, {"tile_kv", attend.keys}});
    return KernelCode{{phase}, 0, 0, problem.cost()};
  }
  DeviceFrame frame(kernel, symbol, code);
  DeviceAttend attend(problem, target, frame);
  KernelPhase phase = attend.emit();
  recordSchedule(kernel, {{"tile_q", attend.rowsOfWarp()}, {"tile_kv", warpThreads}});
  return KernelCode{{phase}, 0, 0, problem.cost()};
}

} // namespace attnc
