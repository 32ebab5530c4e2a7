#include "tools/attnc/Candidates/Candidate.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Fuse/KernelStructure.h"
#include "compiler/Pipeline/PredictedEmitters.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <set>

using namespace llvm;

namespace attnc {

/// The difference as a share of its limit.
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
  return worst && !worst->isWithin(tolerance);
}

const Profile::Line *Candidate::lineOf(const std::string &kernel) const {
  if (!profile)
    return nullptr;
  auto line = find_if(profile->lines(), [&](const Profile::Line &each) { return each.name == kernel; });
  return line == profile->lines().end() || line->launches == 0 ? nullptr : &*line;
}

double Candidate::kernelSeconds() const {
  std::vector<double> sums(seconds.size());
  for (const CandidateKernel &kernel : kernels)
    if (const Profile::Line *line = lineOf(kernel.name))
      for (auto [sum, each] : zip(sums, line->seconds))
        sum += each;
  return median(sums);
}

double Candidate::secondsOf(const CandidateKernel &kernel) const {
  const Profile::Line *line = lineOf(kernel.name);
  return line ? median(line->seconds) : 0;
}

int64_t Candidate::trafficBytes() const {
  int64_t sum = 0;
  for (const CandidateKernel &kernel : kernels)
    sum += kernel.trafficBytes;
  return sum;
}

bool Candidate::isSameCode(const Candidate &other) const {
  auto isSame = [](const CandidateKernel &a, const CandidateKernel &b) { return a.code == b.code; };
  return host == other.host && std::ranges::equal(kernels, other.kernels, isSame);
}

/// The first line of messages, without the program's name.
static std::string firstLine(StringRef messages) {
  StringRef line = messages.split('\n').first;
  line.consume_front("attnc: error: ");
  return line.str();
}

RunningCandidate::RunningCandidate(Candidate &candidate, const SourceOptions &source,
                                   const InvocationOptions &invocation)
    : candidate(candidate), options(source.compile), made(std::make_unique<Compilation>()) {
  append_range(options.overrides, candidate.strategy.overrides);
  options.entries = {invocation.entry};
  options.records = false;
  options.numbersOps = true;
  raw_string_ostream stream(messages);
  outcome = compile(options, *made, stream);
  if (outcome != Outcome::Done) {
    candidate.problem = firstLine(messages);
    return;
  }
  for (StringRef line : split(StringRef(messages).rtrim(), '\n'))
    if (line.consume_front("attnc: "); !line.empty())
      candidate.remarks.push_back(line.str());
  StringRef object(made->object.data(), made->object.size());
  auto linked = LoadedModel::fromObject(MemoryBuffer::getMemBufferCopy(object, source.input()));
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
}

Error RunningCandidate::whyNot() const {
  return outcome == Outcome::Done ? createStringError(candidate.problem)
                                  : compileFailure(messages, static_cast<ExitCode>(outcome));
}

/// A text that is equal for equal code of a kernel: its structure, and the emitter and schedule that were chosen, not
/// those that were requested.
static std::string codeOf(const CompiledKernel &kernel) {
  mlir::OwningOpRef<mlir::func::FuncOp> function(mlir::func::FuncOp(kernel.function).clone());
  for (StringRef name : {emitterAttrName, predictedAttrName, declinedAttrName})
    function.get()->removeAttr(name);
  return kernel.emitter + " " + kernelStructure(*function);
}

static CandidateKernel kernelOf(const Compilation &made, const std::string &entry, const ExplainedKernel &explained,
                                const CompiledKernel &compiled, const ExplainedTotal &total) {
  CandidateKernel kernel{explained.name, explained.kind, explained.emitter, codeOf(compiled)};
  if (auto of = made.opNumbers.find(entry); of != made.opNumbers.end())
    if (auto numbers = of->second.find(explained.name); numbers != of->second.end())
      kernel.ops.assign(numbers->second.begin(), numbers->second.end());
  for (const std::string &place : explained.places)
    kernel.places.push_back(sys::path::filename(place).str());
  kernel.trafficBytes = total.cost.bytes();
  return kernel;
}

Error RunningCandidate::describe(Region &region) {
  std::string name = call->entry->name;
  candidate.arenaBytes = call->runner.context.arena_bytes;
  if (region.isWhole()) {
    raw_string_ostream host(candidate.host);
    made->module->lookupSymbol<mlir::func::FuncOp>(name).print(host);
  }
  ExplainedModel model = explain(*made, options, cantFail(Target::resolve(options.target)), std::nullopt);
  auto entry = find_if(model.entries, [&](const ExplainedEntry &each) { return each.name == name; });
  for (const ExplainedTotal &total : entry->totals)
    candidate.kernels.push_back(
        kernelOf(*made, name, model.kernels[total.kernel], made->program.kernels[total.kernel], total));
  if (Error error = region.find(candidate.kernels, name))
    return error;
  region.keep(candidate.kernels);
  std::set<std::string> kept;
  for (const CandidateKernel &kernel : candidate.kernels)
    kept.insert(kernel.name);
  auto isKept = [&](size_t launch) { return kept.contains(model.kernels[entry->launches[launch].kernel].name); };
  for (const ExplainedEdge &edge : entry->edges)
    if (edge.from && edge.to && (isKept(*edge.from) || isKept(*edge.to)))
      candidate.largestBytes = std::max(candidate.largestBytes, edge.bytes);
  return Error::success();
}

void RunningCandidate::forgetTimes() {
  candidate.seconds.clear();
  candidate.profile = std::make_shared<Profile>(loaded->model(), executor);
  call->runner.context.executor = candidate.profile->executor();
}

Error RunningCandidate::run(bool counts) {
  auto from = std::chrono::steady_clock::now();
  if (Error error = call->run())
    return error;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
  if (!counts) {
    candidate.profile->discardRun();
    return Error::success();
  }
  candidate.seconds.push_back(took.count());
  candidate.profile->endRun();
  return Error::success();
}

} // namespace attnc
