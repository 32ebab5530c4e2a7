#include "compiler/Pipeline/Overrides.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include "compiler/Schedule/TransformScript.h"

namespace attnc {

bool succeeds(Job &job, llvm::Error error) { return !error || job.refuse(llvm::toString(std::move(error))); }

bool gatherOverrides(Job &job) {
  job.overrides.clear();
  if (!job.options.script.empty()) {
    llvm::Expected<std::vector<Override>> said = runTransformScript(job.options.script, *job.made.module);
    if (!said)
      return succeeds(job, said.takeError());
    job.overrides = std::move(*said);
  }
  llvm::append_range(job.overrides, job.options.overrides);
  return true;
}

bool applyEmitters(Job &job) {
  return succeeds(job, applyEmitters(*job.made.module, job.overrides, job.target, job.emitters));
}

bool applySchedule(Job &job) {
  llvm::Expected<std::vector<Override>> schedule = scheduleOverrides(*job.made.module, job.overrides);
  if (!schedule)
    return succeeds(job, schedule.takeError());
  job.schedule = std::move(*schedule);
  return succeeds(job, applySchedule(*job.made.module, job.schedule, job.target));
}

} // namespace attnc
