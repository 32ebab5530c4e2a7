#include "compiler/Pipeline/Overrides.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include "compiler/Schedule/TransformScript.h"
#include <fmt/format.h>

namespace attnc {

bool succeeds(Job &job, llvm::Error error) { return !error || job.refuse(llvm::toString(std::move(error))); }

bool checkEmitterUse(Job &job) {
  if (!job.target.isDevice)
    return true;
  std::string where = " has no effect with --target " + job.options.target + ": devices have one emitter";
  if (job.options.emitter.value_or(EmitterPreference::Auto) != EmitterPreference::Auto)
    return job.refuse("--emitter" + where);
  for (const Override &each : job.options.overrides)
    if (isEmitterOfModel(each))
      return job.refuse(withOrigin(each.origin, textOf(each) + where));
  return true;
}

bool gatherOverrides(Job &job) {
  job.overrides.clear();
  if (!job.options.script.empty()) {
    llvm::Expected<std::vector<Override>> said = runTransformScript(job.options.script, *job.made.module);
    if (!said)
      return succeeds(job, said.takeError());
    job.overrides = std::move(*said);
    for (const Override &each : job.overrides)
      if (isFusionKey(each.key))
        return job.refuse(withOrigin(each.origin, textOf(each) + " has no effect: kernels are fused before a transform "
                                                                 "script runs; use --override or a strategy file"));
    if (job.overrides.empty())
      job.warn(fmt::format("attnc: warning: {} annotates no kernel, so it has no effect\n", job.options.script));
  }
  llvm::append_range(job.overrides, job.options.overrides);
  return true;
}

bool applyEmitters(Job &job) {
  auto notHonoured = applyEmitters(*job.made.module, job.overrides, job.target, job.emitters);
  if (!notHonoured)
    return succeeds(job, notHonoured.takeError());
  for (const std::string &text : *notHonoured)
    job.warn("attnc: warning: " + text + "\n");
  return true;
}

bool applySchedule(Job &job) {
  llvm::Expected<std::vector<Override>> schedule = scheduleOverrides(*job.made.module, job.overrides);
  if (!schedule)
    return succeeds(job, schedule.takeError());
  job.schedule = std::move(*schedule);
  return succeeds(job, applySchedule(*job.made.module, job.schedule, job.target));
}

void dropSettingsOfErased(Job &job, bool warns) {
  llvm::erase_if(job.schedule, [&](const Override &setting) {
    if (job.made.module->lookupSymbol(setting.what))
      return false;
    bool isByName = llvm::is_contained(job.overrides, setting); // else by kind, which other kernels have, too
    if (warns && isByName)
      job.warn("attnc: warning: " +
               withOrigin(setting.origin, textOf(setting) + " was not honoured: the kernel is left "
                                                            "out with its entry point") +
               "\n");
    return true;
  });
}

void warnOfSettings(Job &job) {
  for (const CompiledKernel &kernel : job.made.program.kernels)
    for (const auto &[emitter, reason] : kernel.refusals)
      for (const Override &setting : job.schedule)
        if (emitter == "halide" && setting.key == "halide" &&
            setting.what == mlir::func::FuncOp(kernel.function).getName())
          recordDeclined(kernel.function, setting.key, "the halide emitter does not support it, because " + reason);
  for (const std::string &text : settingsNotHonoured(*job.made.module, job.schedule))
    job.warn("attnc: warning: " + text + "\n");
}

} // namespace attnc
