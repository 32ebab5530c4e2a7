#include "tools/attnc/Explain/MeasureModel.h"

using namespace llvm;

namespace attnc {

static Error measureEntry(ExplainedModel &model, ExplainedEntry &entry, const attn_model &table,
                          const SourceOptions &source, Repetitions repetitions) {
  InvocationOptions options;
  options.entry = entry.name;
  options.fillMissing = true;
  options.ranges = source.rangesOf(std::string(entry.name), Phase::Derive);
  options.threads = entry.sizes.back().second;
  for (const auto &[name, size] : ArrayRef(entry.sizes).drop_back())
    options.dims.push_back(name + "=" + std::to_string(size));
  auto call = Invocation::create(table, options);
  if (!call)
    return call.takeError();
  auto measured = measure(**call, repetitions);
  if (!measured)
    return measured.takeError();
  entry.measuredSeconds = measured->seconds;
  for (const Profile::Line &line : measured->kernels)
    for (ExplainedTotal &total : entry.totals)
      if (model.kernels[total.kernel].name == line.name)
        total.measured = {median(line.seconds), line.launches / measured->runs};
  return Error::success();
}

ExitCode measureModel(ExplainedModel &model, const SourceOptions &source, Repetitions repetitions) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = source.load(exitCode);
  for (ExplainedEntry &entry : model.entries)
    if (loaded && entry.problem.empty())
      if (Error error = measureEntry(model, entry, loaded->model(), source, repetitions))
        entry.unmeasured = toString(std::move(error));
  return exitCode;
}

} // namespace attnc
