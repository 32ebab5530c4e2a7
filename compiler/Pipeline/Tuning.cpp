#include "compiler/Pipeline/Tuning.h"
#include "compiler/Fuse/KernelStructure.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral emitterKey = "emitter";

bool Tuning::load() {
  TuningDatabase database;
  if (!job.options.tuning.empty()) {
    llvm::Expected<TuningDatabase> loaded = TuningDatabase::load(job.options.tuning);
    if (!loaded)
      return job.refuse(llvm::toString(loaded.takeError()));
    database = std::move(*loaded);
  }
  for (auto kernel : llvm::make_filter_range(job.made.module->getOps<func::FuncOp>(), isKernel)) {
    std::string &fingerprint = job.made.fingerprints[kernel.getName().str()];
    fingerprint = kernelFingerprint(kernel);
    if (const TuningEntry *entry = database.find(fingerprint, job.target.cpu, job.options.at))
      tuned.push_back({kernel, *entry, ""});
  }
  return true;
}

std::vector<Override> Tuning::overridesOf(const Tuned &tuned, bool areEmitters) const {
  func::FuncOp kernel = tuned.kernel;
  std::vector<Override> overrides;
  for (const auto &[key, value] : tuned.entry.overrides)
    if ((key == emitterKey) == areEmitters)
      overrides.push_back({kernel.getName().str(), key, value});
  return overrides;
}

void Tuning::chooseEmitters() {
  for (Tuned &each : tuned)
    if (auto applied = applyEmitters(*job.made.module, overridesOf(each, true), job.target, job.emitters); !applied)
      each.problem = llvm::toString(applied.takeError());
}

void Tuning::applySchedules() {
  size_t applied = 0;
  for (Tuned &each : tuned) {
    if (each.problem.empty())
      if (llvm::Error error = applySchedule(*job.made.module, overridesOf(each, false), job.target))
        each.problem = llvm::toString(std::move(error));
    if (!each.problem.empty()) {
      job.warn(fmt::format("attnc: an entry of {} does not fit kernel {}: {}\n", job.options.tuning,
                           each.kernel.getName().str(), each.problem));
      continue;
    }
    ++applied;
    each.kernel->setAttr(tunedAttrName,
                         StringAttr::get(each.kernel.getContext(), fmt::format("{:.2f}", each.entry.gain)));
  }
  if (!job.options.tuning.empty())
    job.warn(fmt::format("attnc: {} of {} kernels have schedules of {}\n", applied, job.made.fingerprints.size(),
                         job.options.tuning));
}

} // namespace attnc
