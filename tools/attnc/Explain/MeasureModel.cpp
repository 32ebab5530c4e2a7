#include "tools/attnc/Explain/MeasureModel.h"

using namespace llvm;

namespace attnc {

static Error measureEntry(ExplainedModel &model, ExplainedEntry &entry, const attn_model &table,
                          const SourceOptions &source, Repetitions repetitions) {
  InvocationOptions options;
  options.entry = entry.name;
  options.fillMissing = true;
  options.ranges = source.rangesOf(entry.name, Phase::Derive);
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

void measureModel(ExplainedModel &model, const Compilation &made, const SourceOptions &source,
                  Repetitions repetitions) {
  StringRef object(made.object.data(), made.object.size());
  auto loaded = LoadedModel::fromObject(MemoryBuffer::getMemBufferCopy(object, source.compile.input));
  std::string problem = loaded ? "" : toString(loaded.takeError());
  for (ExplainedEntry &entry : model.entries) {
    if (!entry.problem.empty())
      continue;
    if (!problem.empty())
      entry.unmeasured = problem;
    else if (Error error = measureEntry(model, entry, loaded->model(), source, repetitions))
      entry.unmeasured = toString(std::move(error));
  }
}

} // namespace attnc
