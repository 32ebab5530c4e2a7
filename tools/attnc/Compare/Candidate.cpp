#include "tools/attnc/Compare/Candidate.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;

namespace attnc {

/// How much of what is allowed it takes.
static double shareOf(const Deviation &deviation, double tolerance) {
  return deviation.difference == 0 ? 0 : deviation.difference / deviation.limit(tolerance);
}

const Deviation *Candidate::nearest(double tolerance) const {
  auto isLess = [&](const Deviation &a, const Deviation &b) { return shareOf(a, tolerance) < shareOf(b, tolerance); };
  auto found = std::max_element(deviations.begin(), deviations.end(), isLess);
  return found == deviations.end() ? nullptr : &*found;
}

bool Candidate::isWrong(double tolerance) const {
  const Deviation *worst = nearest(tolerance);
  return worst && !(worst->difference <= worst->limit(tolerance));
}

/// The first line of messages, without the program's name.
static std::string firstLine(StringRef messages) {
  StringRef line = messages.split('\n').first;
  line.consume_front("attnc: error: ");
  return line.str();
}

RunningCandidate::RunningCandidate(Candidate &candidate, const SourceOptions &source,
                                   const InvocationOptions &invocation)
    : candidate(candidate), made(std::make_unique<Compilation>()) {
  CompileOptions options = source.compile;
  append_range(options.overrides, candidate.strategy.overrides);
  options.entry = options.entryAlone ? invocation.entry : ""; // else all are compiled, as beside overrides
  options.records = false;
  raw_string_ostream stream(messages);
  outcome = compile(options, *made, stream);
  if (outcome != Outcome::Done) {
    candidate.problem = firstLine(messages);
    return;
  }
  for (StringRef line : split(StringRef(messages).rtrim(), '\n'))
    if (line.consume_front("attnc: "); !line.empty())
      candidate.remarks.push_back(line.str());
  code.assign(made->object.begin(), made->object.end());
  auto linked = LoadedModel::fromObject(MemoryBuffer::getMemBufferCopy(code, source.input()));
  if (!linked) {
    candidate.problem = toString(linked.takeError());
    return;
  }
  loaded = std::move(*linked);
  auto created = Invocation::create(loaded->model(), invocation);
  if (!created) {
    candidate.problem = toString(created.takeError());
    return;
  }
  call = std::move(*created);
  executor = call->runner.context.executor;
  forgetTimes();
  describe(options, call->entry->name);
}

Error RunningCandidate::whyNot() const {
  return outcome == Outcome::Done ? createStringError(candidate.problem)
                                  : compileFailure(messages, static_cast<ExitCode>(outcome));
}

void RunningCandidate::describe(const CompileOptions &options, const std::string &entry) {
  candidate.arenaBytes = call->runner.context.arena_bytes;
  ExplainedModel model = explain(*made, options, cantFail(Target::resolve(options.target)), std::nullopt);
  for (const ExplainedEntry &each : model.entries) {
    if (each.name != entry)
      continue;
    for (const ExplainedTotal &total : each.totals) {
      ++candidate.kernels[model.kernels[total.kernel].emitter];
      candidate.trafficBytes += total.cost.bytes();
    }
    for (const ExplainedEdge &edge : each.edges)
      if (edge.from && edge.to)
        candidate.largestBytes = std::max(candidate.largestBytes, edge.bytes);
  }
}

void RunningCandidate::forgetTimes() {
  candidate.seconds.clear();
  candidate.times.clear();
  profile = std::make_unique<Profile>(loaded->model(), executor);
  call->runner.context.executor = profile->executor();
}

Error RunningCandidate::run(bool counts) {
  auto from = std::chrono::steady_clock::now();
  if (Error error = call->run())
    return error;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
  if (!counts) {
    profile->discardRun();
    return Error::success();
  }
  candidate.seconds.push_back(took.count());
  profile->endRun();
  candidate.times.clear();
  copy_if(profile->lines(), std::back_inserter(candidate.times),
          [](const Profile::Line &line) { return line.launches > 0; });
  return Error::success();
}

} // namespace attnc
