#include "compiler/Pipeline/DeviceEntries.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Pipeline/DeviceAlignment.h"
#include "compiler/Pipeline/Overrides.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

namespace {

/// The reason for which a device does not support an entry point, and its source location.
struct Obstacle {
  Location location;
  std::string reason;
};

std::optional<Obstacle> obstacleIn(Operation *op, Job &job) {
  if (auto set = dyn_cast<model::SetOp>(op))
    return Obstacle{op->getLoc(), "it updates '" + set.getParameter().str() + "'"};
  if (auto append = dyn_cast<model::AppendOp>(op); append && append.getTable())
    return Obstacle{op->getLoc(), "its caches are paged"};
  auto call = dyn_cast<func::CallOp>(op);
  auto kernel = call ? job.made.module->lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
  if (!kernel)
    return std::nullopt;
  Verdict verdict = job.emitterOf(kernel).verdict();
  if (verdict)
    return std::nullopt;
  return Obstacle{kernel.getLoc(), "kernel " + kernel.getName().str() + ": " + verdict.reason};
}

std::optional<Obstacle> obstacleOf(func::FuncOp entry, Job &job) {
  std::optional<Obstacle> found;
  entry.walk([&](Operation *op) {
    found = obstacleIn(op, job);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

bool keepEntriesOfDevice(Job &job) {
  markUnaligned(*job.made.module, [&](func::FuncOp kernel, unsigned argument, unsigned result) {
    const Emitter *emitter = job.emitterOf(kernel).emitter;
    return emitter && emitter->mayRunInPlace(kernel, argument, result);
  });
  std::vector<std::pair<func::FuncOp, Obstacle>> left;
  bool keepsAny = false;
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    if (std::optional<Obstacle> obstacle = obstacleOf(entry, job))
      left.emplace_back(entry, *obstacle);
    else
      keepsAny = true;
  }
  auto text = [&](const Obstacle &obstacle, const std::string &what) {
    std::string place = placeOf(obstacle.location);
    return (place.empty() ? job.options.input : place) + what + "not supported with --target " + job.target.name +
           ": " + obstacle.reason;
  };
  if (!keepsAny)
    return job.userError(text(left.front().second, ": error: "));
  for (auto &[entry, obstacle] : left) {
    job.warn(text(obstacle, ": warning: entry point '" + entry.getName().str() + "' is left out: ") + "\n");
    entry.erase();
  }
  eraseUnusedKernels(*job.made.module);
  dropSettingsOfErased(job, /*warns=*/true);
  return true;
}

} // namespace attnc
