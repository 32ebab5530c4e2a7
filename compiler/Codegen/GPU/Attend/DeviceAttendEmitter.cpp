#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"

using namespace mlir;

namespace attnc {

Verdict supportsDeviceAttend(func::FuncOp kernel) {
  AttendProblem problem;
  Verdict verdict = readAttendProblem(kernel, problem);
  return verdict ? canAttendOnDevice(problem) : verdict;
}

/// A block of warp groups has more queries: of a few, half of it would be idle.
static bool areManyRows(const AttendProblem &problem) {
  return !problem.rows.isConstant() || problem.rows.constant() > AttendTiles::queries;
}

static std::vector<KernelPhase> emitForms(const AttendProblem &problem, const AttendMatrices &matrices,
                                          const Target &target, ModuleOp code) {
  func::FuncOp kernel = problem.kernel;
  std::string symbol = kernel.getSymName().str();
  std::vector<KernelPhase> phases;
  bool hasGroups = areManyRows(problem);
  auto record = [&](int64_t queries, int64_t keys) {
    recordSchedule(kernel, {{"tile_q", queries}, {"tile_kv", keys}});
  };
  if (hasGroups && target.has(DeviceForm::WarpGroups)) {
    phases.push_back(AttendWarpGroups(problem, matrices, target, symbol + "$groups", code).emit());
    record(AttendWarpGroups::queries, AttendWarpGroups::keysOfTile(matrices));
  }
  if (!hasGroups || target.has(DeviceForm::Warps)) {
    AttendTiles attend(problem, matrices, target, symbol, code);
    phases.push_back(attend.emit());
    phases.back().form = hasGroups ? DeviceForm::Warps : DeviceForm::Any;
    record(AttendTiles::queries, attend.keys);
  }
  return phases;
}

FailureOr<KernelCode> emitDeviceAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  StringRef symbol = kernel.getSymName();
  std::optional<AttendMatrices> matrices;
  if (AttendMatrices::match(problem, matrices))
    return KernelCode{emitForms(problem, *matrices, target, code), 0, 0, problem.cost()};
  DeviceFrame frame(kernel, symbol, code);
  DeviceAttend attend(problem, target, frame);
  KernelPhase phase = attend.emit();
  recordSchedule(kernel, {{"tile_q", attend.rowsOfWarp()}, {"tile_kv", warpThreads}});
  return KernelCode{{phase}, 0, 0, problem.cost()};
}

} // namespace attnc
