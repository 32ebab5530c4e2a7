#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/GPU/Attend/AttendMerge.h"
#include "compiler/Codegen/GPU/Attend/AttendSplits.h"
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

namespace {

/// The phases of one kernel.
class Phases {
public:
  Phases(const AttendProblem &problem, const Target &target, ModuleOp code)
      : problem(problem), target(target), code(code) {
    AttendMatrices::match(problem, matrices);
    made.cost = problem.cost();
  }

  KernelCode emit() {
    std::string symbol = func::FuncOp(problem.kernel).getSymName().str();
    if (!AttendParts::canSplit(problem)) {
      emitWhole(symbol);
    } else if (AttendParts parts(problem, splitsOfBlock()); parts.areAlwaysFew()) {
      choices.push_back({"form", StringRef("decode")});
      emitSplits(symbol, parts);
    } else { // of both, one has blocks: which one, the number of rows tells
      choices.push_back({"decode_rows", AttendParts::mostRows / problem.group});
      emitWhole(symbol);
      for (KernelPhase &phase : made.phases)
        phase.chunks *= SizeExpr(1) - parts.areFew;
      emitSplits(symbol + "$few", parts);
    }
    recordSchedule(problem.kernel, choices);
    return made;
  }

private:
  int64_t splitsOfBlock() const { return matrices ? 1 : blockThreads / warpThreads; }

  /// Rows with all of their keys.
  void emitWhole(const std::string &symbol) {
    if (matrices)
      return emitTiles(symbol);
    DeviceFrame frame(problem.kernel, symbol, code);
    DeviceAttend attend(problem, target, frame);
    made.phases.push_back(attend.emit());
    choices.append({{"tile_q", attend.rowsOfWarp()}, {"tile_kv", warpThreads}});
  }

  /// The same by tensor cores, in each form that the target has.
  void emitTiles(const std::string &symbol) {
    bool hasGroups = areManyRows(problem);
    int64_t queries = AttendWarpGroups::queries, keys = AttendWarpGroups::keysOfTile(*matrices);
    if (hasGroups && target.has(DeviceForm::WarpGroups))
      made.phases.push_back(AttendWarpGroups(problem, *matrices, target, symbol + "$groups", code).emit());
    if (!hasGroups || target.has(DeviceForm::Warps)) {
      AttendTiles attend(problem, *matrices, target, symbol, code);
      made.phases.push_back(attend.emit());
      made.phases.back().form = hasGroups ? DeviceForm::Warps : DeviceForm::Any;
      queries = AttendTiles::queries, keys = attend.keys;
    }
    choices.append({{"tile_q", queries}, {"tile_kv", keys}});
  }

  /// Parts of rows, and their results.
  void emitSplits(const std::string &symbol, const AttendParts &parts) {
    KernelPhase phase;
    if (matrices) {
      phase = AttendSplits(problem, *matrices, parts, target, symbol, code).emit();
    } else {
      DeviceFrame frame(problem.kernel, symbol, code);
      phase = DeviceAttend(problem, target, frame, parts.numbers).emitParts(parts);
    }
    for (KernelPhase each : {phase, AttendMerge(problem, parts, target, symbol + "$merge", code).emit()}) {
      each.chunks *= parts.areFew;
      made.phases.push_back(each);
    }
    made.sharedBytes = SizeExpr::max(made.sharedBytes, parts.bytes());
  }

  const AttendProblem &problem;
  const Target &target;
  ModuleOp code;
  std::optional<AttendMatrices> matrices; ///< where tensor cores take it
  KernelCode made;
  SmallVector<Choice> choices;
};

} // namespace

FailureOr<KernelCode> emitDeviceAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  return Phases(problem, target, code).emit();
}

} // namespace attnc
