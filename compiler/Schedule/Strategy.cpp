#include "compiler/Schedule/Strategy.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Schedule/Schedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>
#include <set>

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral theModel = "model", emitterKey = "emitter", allFusions = "fusion";

static llvm::Error error(const std::string &origin, const std::string &message) {
  return llvm::createStringError(withOrigin(origin, message));
}

bool isPlace(StringRef what) {
  auto [front, column] = what.rsplit(':');
  auto [file, line] = front.rsplit(':');
  auto isNumber = [](StringRef text) { return !text.empty() && llvm::all_of(text, llvm::isDigit); };
  return !file.empty() && isNumber(line) && isNumber(column);
}

bool isFusionKey(StringRef key) { return key == allFusions || llvm::is_contained(refusableFusions(), key); }

//===-------------------------------------------- the model ---------------------------------------------------===//

bool isEmitterOfModel(const Override &setting) { return setting.what == theModel && setting.key == emitterKey; }

llvm::Expected<std::optional<EmitterPreference>> emitterOverride(ArrayRef<Override> overrides) {
  std::optional<EmitterPreference> preference;
  for (const Override &each : overrides) {
    if (!isEmitterOfModel(each))
      continue;
    preference = emitterPreferenceNamed(each.value);
    std::vector<std::string> names;
    for (StringRef name : emitterPreferenceNames())
      names.push_back(name.str());
    if (!preference)
      return error(each.origin, fmt::format("`model.emitter` is {}, not `{}`{}", llvm::join(names, " or "), each.value,
                                            didYouMean(each.value, names)));
  }
  return preference;
}

//===-------------------------------------------- fusions -----------------------------------------------------===//

llvm::Expected<std::vector<FusionRefusal>> fusionOverrides(ArrayRef<Override> overrides) {
  std::vector<FusionRefusal> refusals;
  for (const Override &each : overrides) {
    if (!isFusionKey(each.key)) {
      std::vector<std::string> keys = refusableFusions();
      keys.insert(keys.begin(), allFusions.str());
      if (each.what == theModel)
        keys.insert(keys.begin(), emitterKey.str());
      if ((each.what == theModel && each.key != emitterKey) || isPlace(each.what))
        return error(each.origin, fmt::format("{} has no `{}`; it has {}{}",
                                              each.what == theModel ? "the model" : "a source location", each.key,
                                              llvm::join(keys, ", "), didYouMean(each.key, keys)));
      continue;
    }
    if (parseKernelKind(each.what))
      return error(
          each.origin,
          fmt::format("a kind of kernel has no `{}`; fusions are refused for the model, a source location or a kernel",
                      each.key));
    StringRef value = each.key == allFusions ? "none" : "no";
    if (each.value != value)
      return error(each.origin, fmt::format("`{0}` can only be {1}, not `{2}`; leave it out to allow the fusion",
                                            each.key, value.str(), each.value));
    FusionRefusal refusal;
    refusal.origin = each.origin;
    refusal.fusion = each.key == allFusions ? "" : each.key;
    if (isPlace(each.what))
      refusal.place = llvm::sys::path::filename(each.what).str();
    else if (each.what != theModel)
      refusal.kernel = each.what;
    refusals.push_back(std::move(refusal));
  }
  return refusals;
}

bool namesKernel(const FusionRefusal &refusal) { return !refusal.kernel.empty(); }

llvm::Error findRefusedKernels(ModuleOp fused, std::vector<FusionRefusal> &refusals) {
  for (FusionRefusal &refusal : refusals) {
    if (!namesKernel(refusal))
      continue;
    auto kernel = findKernel(fused, refusal.kernel);
    if (!kernel)
      return error(refusal.origin, llvm::toString(kernel.takeError()));
    bool isAttentionFusion = refusal.fusion.empty() || refusal.fusion == attentionFused;
    std::optional<KernelKind> kind = kernelKindOf(*kernel);
    if (isAttentionFusion && kind && kernelTraits(*kind).isGradient)
      return error(refusal.origin,
                   fmt::format("`{}` is a gradient of attention, which plain tensor code can't express: it stays one "
                               "kernel",
                               refusal.kernel));
    std::set<int64_t> ops;
    kernel->walk([&](Operation *op) {
      for (int64_t number : opNumbers(op->getLoc()))
        ops.insert(number);
    });
    refusal.ops.assign(ops.begin(), ops.end());
  }
  return llvm::Error::success();
}

llvm::Error checkPlaces(ModuleOp imported, ArrayRef<FusionRefusal> refusals) {
  std::set<std::string> places;
  imported.walk([&](Operation *op) {
    for (const std::string &place : placesOf(op->getLoc()))
      places.insert(llvm::sys::path::filename(place).str());
  });
  std::vector<std::string> known(places.begin(), places.end());
  for (const FusionRefusal &refusal : refusals)
    if (!refusal.place.empty() && !places.contains(refusal.place))
      return error(refusal.origin,
                   fmt::format("no computation is at `{}`{}", refusal.place, didYouMean(refusal.place, known)));
  return llvm::Error::success();
}

llvm::Error checkHonoured(ArrayRef<FusionRefusal> refusals) {
  for (const FusionRefusal &refusal : refusals) {
    bool isModelWide = refusal.place.empty() && refusal.kernel.empty();
    if (refusal.isHonoured || isModelWide)
      continue;
    const std::string &what = refusal.place.empty() ? refusal.kernel : refusal.place;
    return error(refusal.origin, refusal.fusion.empty()
                                     ? fmt::format("`{}.fusion=none` refuses nothing: no fusion is made there", what)
                                     : fmt::format("`{0}.{1}=no` refuses nothing: no {1} is made there; `attnc explain "
                                                   "--all` lists the fusions that are",
                                                   what, refusal.fusion));
  }
  return llvm::Error::success();
}

//===-------------------------------------------- kernels -----------------------------------------------------===//

/// The kernels in the scope of an override.
static llvm::Expected<SmallVector<func::FuncOp>> kernelsOf(ModuleOp module, const Override &setting) {
  std::optional<KernelKind> kind = parseKernelKind(setting.what);
  if (!kind) {
    auto kernel = findKernel(module, setting.what);
    if (!kernel)
      return error(setting.origin, llvm::toString(kernel.takeError()));
    return SmallVector<func::FuncOp>{*kernel};
  }
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (isKernel(function) && kernelKindOf(function) == kind)
      kernels.push_back(function);
  if (kernels.empty())
    return error(setting.origin, fmt::format("the model has no {} kernel", setting.what));
  return kernels;
}

static bool hasKernelScope(const Override &setting) { return setting.what != theModel && !isPlace(setting.what); }

/// Sets the emitter attribute of the kernel if the emitter supports it.
static llvm::Expected<Verdict> applyEmitter(func::FuncOp kernel, const Override &setting, const Target &target,
                                            ArrayRef<std::unique_ptr<Emitter>> emitters) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Emitter> &emitter : emitters)
    if (emitter->makesCodeFor(target))
      names.push_back(std::string(emitter->name()));
  if (!llvm::is_contained(names, setting.value))
    return error(setting.origin, fmt::format("`emitter` is {} on this target, not `{}`{}", llvm::join(names, " or "),
                                             setting.value, didYouMean(setting.value, names)));
  Attribute before = kernel->getAttr(emitterAttrName);
  kernel->setAttr(emitterAttrName, StringAttr::get(kernel.getContext(), setting.value));
  Verdict verdict;
  for (const std::unique_ptr<Emitter> &emitter : emitters)
    if (emitter->makesCodeFor(target) && mayTake(*emitter, kernel))
      verdict = emitter->supports(kernel, target);
  if (!verdict)
    before ? kernel->setAttr(emitterAttrName, before) : (void)kernel->removeAttr(emitterAttrName);
  return verdict;
}

llvm::Expected<std::vector<std::string>> applyEmitters(ModuleOp module, ArrayRef<Override> overrides,
                                                       const Target &target,
                                                       ArrayRef<std::unique_ptr<Emitter>> emitters) {
  std::vector<std::string> notHonoured;
  for (const Override &each : overrides) {
    if (each.key != emitterKey || !hasKernelScope(each))
      continue;
    auto kernels = kernelsOf(module, each);
    if (!kernels)
      return kernels.takeError();
    bool isTaken = false;
    std::string reason;
    for (func::FuncOp kernel : *kernels) {
      auto verdict = applyEmitter(kernel, each, target, emitters);
      if (!verdict)
        return verdict.takeError();
      isTaken |= bool(*verdict);
      reason = verdict->reason;
    }
    if (isTaken)
      continue;
    if (!parseKernelKind(each.what))
      return error(each.origin,
                   fmt::format("the {} emitter does not support kernel `{}`: {}", each.value, each.what, reason));
    notHonoured.push_back(withOrigin(
        each.origin, fmt::format("{} was not honoured: the {} emitter supports no {} kernel of the model: {}",
                                 textOf(each), each.value, each.what, reason)));
  }
  return notHonoured;
}

llvm::Expected<std::vector<Override>> scheduleOverrides(ModuleOp module, ArrayRef<Override> overrides) {
  std::vector<Override> expanded;
  for (const Override &each : overrides) {
    if (each.key == emitterKey || isFusionKey(each.key))
      continue;
    auto kernels = kernelsOf(module, each);
    if (!kernels)
      return kernels.takeError();
    for (func::FuncOp kernel : *kernels)
      expanded.push_back({kernel.getName().str(), each.key, each.value, each.origin});
  }
  return expanded;
}

} // namespace attnc
