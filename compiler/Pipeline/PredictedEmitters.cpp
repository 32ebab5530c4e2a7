#include "compiler/Pipeline/PredictedEmitters.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Pipeline/KernelForecast.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attnc {

namespace {

/// An emitter replaces the default one if its predicted time is less than this fraction.
constexpr double margin = 0.9;
/// A compile by Halide is skipped if the code of `cpu` takes less than `nearLeast` times the estimate for fast code. In
/// the examples, code of Halide takes 1.04 times the estimate and more, and almost always wins only against code of
/// twice the estimate and more.
constexpr double nearLeast = 1.4;
/// In the examples, code of `cpu` takes up to this many times the estimate for fast code (rows of two columns), so
/// kernels whose estimate is a small share of their entry points need no prediction.
constexpr double mostOverLeast = 30;
/// The default emitter stays if another one would gain less than `leastGain` seconds (KernelForecast::secondsOf), or a
/// smaller share of each entry point than `leastShare`.
constexpr double leastGain = 1e-6, leastShare = 0.01;

struct Trial {
  const Emitter *emitter = nullptr;
  double seconds = 0;
};

/// A kernel for which another emitter than `cpu` could gain enough.
struct Candidate {
  func::FuncOp kernel;
  SmallVector<const Emitter *> supporting; ///< first the default emitter
  Trial cpu;
};

void ask(func::FuncOp kernel, const Emitter &emitter) {
  kernel->setAttr(emitterAttrName, StringAttr::get(kernel.getContext(), std::string(emitter.name())));
}

bool isCpu(const Emitter *emitter) { return emitter->name() == "cpu"; }

class EmitterChooser {
public:
  explicit EmitterChooser(Job &job)
      : job(job), forecast(*job.made.module, job.target, defaultMachine(job.target.f32Lanes), job.options.at) {}

  void run() {
    // The other emitters work in the background while the code of `cpu` of later kernels is generated and predicted.
    std::vector<Candidate> candidates;
    for (auto kernel : llvm::make_filter_range(job.made.module->getOps<func::FuncOp>(), isKernel)) {
      std::optional<Candidate> candidate = hasChoice(kernel) ? candidateOf(kernel) : std::nullopt;
      if (!candidate)
        continue;
      for (const Emitter *each : candidate->supporting)
        each->prepare(kernel, job.target);
      candidates.push_back(std::move(*candidate));
    }
    for (const Candidate &candidate : candidates)
      choose(candidate);
  }

private:
  /// The compile time of Halide grows with the square of a formula's length.
  static bool isShort(func::FuncOp kernel) {
    constexpr size_t mostOperations = 160;
    return llvm::all_of(kernel.getOps<linalg::GenericOp>(),
                        [](linalg::GenericOp op) { return op.getBody()->getOperations().size() <= mostOperations; });
  }

  bool hasChoice(func::FuncOp kernel) const {
    std::optional<KernelKind> kind = kernelKindOf(kernel);
    return kind && kernelTraits(*kind).hasHalideCode && !requestedEmitter(kernel) &&
           !kernel->hasAttr(scheduleAttrName) && !kernel->hasAttr(tunedAttrName) && forecast.isCalled(kernel) &&
           isShort(kernel);
  }

  /// The default emitter of the kernel, followed by the others that support the kernel if requested.
  SmallVector<const Emitter *> supportingEmitters(func::FuncOp kernel, const Emitter *defaultEmitter) const {
    SmallVector<const Emitter *> supporting = {defaultEmitter};
    for (const std::unique_ptr<Emitter> &emitter : job.emitters) {
      if (emitter.get() == defaultEmitter || !emitter->makesCodeFor(job.target))
        continue;
      ask(kernel, *emitter);
      if (emitter->supports(kernel, job.target))
        supporting.push_back(emitter.get());
      kernel->removeAttr(emitterAttrName);
    }
    return supporting;
  }

  bool isWorthwhile(func::FuncOp kernel, double gain) const {
    return gain >= leastGain && forecast.shareOf(kernel, gain) >= leastShare;
  }

  std::optional<double> secondsOf(func::FuncOp kernel, const Emitter &emitter) const {
    OwningOpRef<func::FuncOp> asked = kernel.clone();
    ask(*asked, emitter);
    return forecast.secondsOf(kernel, *asked, emitter);
  }

  std::optional<Candidate> candidateOf(func::FuncOp kernel) const {
    const Emitter *defaultEmitter = job.emitterOf(kernel).emitter;
    if (!defaultEmitter)
      return std::nullopt;
    bool isCpuDefault = isCpu(defaultEmitter);
    double least = forecast.leastOf(kernel);
    if (isCpuDefault && !isWorthwhile(kernel, mostOverLeast * least))
      return std::nullopt;
    Candidate candidate{kernel, supportingEmitters(kernel, defaultEmitter), {}};
    const auto *cpu = llvm::find_if(candidate.supporting, isCpu);
    if (candidate.supporting.size() < 2 || cpu == candidate.supporting.end())
      return std::nullopt;
    // The cpu emitter is fast and predicts whether another emitter could gain anything.
    std::optional<double> seconds = secondsOf(kernel, **cpu);
    if (!seconds || (isCpuDefault && (*seconds < nearLeast * least || !isWorthwhile(kernel, *seconds - least))))
      return std::nullopt;
    candidate.cpu = {*cpu, *seconds};
    return candidate;
  }

  void choose(const Candidate &candidate) {
    const auto &[kernel, supporting, cpu] = candidate;
    SmallVector<Trial> trials;
    for (const Emitter *each : supporting) {
      size_t before = job.diagnostics().size();
      std::optional<double> found = each == cpu.emitter ? cpu.seconds : secondsOf(kernel, *each);
      if (!found) {
        // Reports the failure, as it changes the object. A failing default emitter reports when the code is generated.
        if (each != supporting.front() && job.diagnostics().size() > before)
          job.warnTaken(*supporting.front());
        return;
      }
      trials.push_back({each, *found});
    }
    const Trial *best = &trials.front();
    for (const Trial &each : trials)
      if (each.seconds < (best == &trials.front() ? margin : 1) * best->seconds)
        best = &each;
    if (!isWorthwhile(kernel, trials.front().seconds - best->seconds))
      best = &trials.front();
    ask(kernel, *best->emitter);
    note(kernel, trials);
  }

  static void note(func::FuncOp kernel, ArrayRef<Trial> trials) {
    Builder builder(kernel.getContext());
    SmallVector<NamedAttribute> predicted;
    for (const Trial &each : trials)
      predicted.push_back(
          builder.getNamedAttr(std::string(each.emitter->name()), builder.getF64FloatAttr(each.seconds)));
    kernel->setAttr(predictedAttrName, builder.getDictionaryAttr(predicted));
  }

  Job &job;
  KernelForecast forecast;
};

} // namespace

void chooseByPrediction(Job &job) {
  if (job.preference == EmitterPreference::Auto && !job.target.isDevice &&
      !job.made.module->getOperation()->hasAttr(emittersByRuleAttrName))
    EmitterChooser(job).run();
}

std::vector<std::pair<std::string, double>> predictionsOf(func::FuncOp kernel) {
  std::vector<std::pair<std::string, double>> predictions;
  if (auto predicted = kernel->getAttrOfType<DictionaryAttr>(predictedAttrName))
    for (NamedAttribute each : predicted)
      predictions.emplace_back(each.getName().str(), cast<FloatAttr>(each.getValue()).getValueAsDouble());
  return predictions;
}

} // namespace attnc
