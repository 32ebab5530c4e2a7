#include "compiler/Pipeline/KernelForecast.h"
#include "compiler/Predict/Predict.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

/// The assumed size of a dimension without bound and without a value in --at.
static constexpr int64_t typicalSize = 64;
/// The largest number of size combinations for one kernel.
static constexpr size_t mostSizes = 4;
/// The largest number of bytes or operations of a launch (days) that is predicted: products of sizes may overflow.
static constexpr int64_t mostWork = int64_t(1) << 50;

KernelForecast::KernelForecast(ModuleOp module, const Target &target, const Machine &machine, const NamedSizes &at)
    : module(module), target(target), machine(machine) {
  for (auto entry : module.getOps<func::FuncOp>())
    if (entry->hasAttr(model::entryAttrName))
      gatherSizes(entry, at);
}

static std::vector<int64_t> dimensionsOf(func::FuncOp entry, const SizeAnalysis &analysis, const NamedSizes &at) {
  std::vector<int64_t> values;
  auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (auto [number, name] : llvm::enumerate(analysis.names)) {
    int64_t bound = cast<model::DimensionAttr>(dimensions[number]).getMax();
    auto said = llvm::find_if(at, [&, name = name](const auto &each) { return each.first == name; });
    values.push_back(said != at.end() ? said->second : bound > 0 ? bound : typicalSize);
  }
  values.push_back(1); // workers
  return values;
}

void KernelForecast::gatherSizes(func::FuncOp entry, const NamedSizes &at) {
  FailureOr<SizeAnalysis> analysis = SizeAnalysis::ofEntry(entry);
  if (failed(analysis))
    return;
  Sizes dimensions = dimensionsOf(entry, *analysis, at);
  entry.walk([&](func::CallOp call) {
    auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!kernel || !isKernel(kernel))
      return;
    Sizes own;
    for (const std::optional<SizeExpr> &size : analysis->kernelSymbols(call))
      own.push_back(size ? size->evaluate(dimensions) : 1);
    std::vector<Sizes> &all = sizes[kernel];
    if (!llvm::is_contained(all, own) && all.size() < mostSizes)
      all.push_back(std::move(own));
  });
}

std::optional<Forecast> KernelForecast::of(func::FuncOp kernel, func::FuncOp changed, const Emitter &emitter) const {
  // Emitters modify the kernel, so they get a copy.
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc()), code = ModuleOp::create(kernel.getLoc());
  auto copy = cast<func::FuncOp>(changed->clone());
  scratch->push_back(copy);
  // Suppresses remarks: the caller reports the failure of an emitter.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Remark);
  });
  if (!emitter.supports(copy, target))
    return std::nullopt;
  FailureOr<KernelCode> made = emitter.emit(copy, target, *code);
  if (failed(made))
    return std::nullopt;
  CodeTime time(*code, target, machine);
  Forecast forecast;
  auto found = sizes.find(kernel);
  for (const Sizes &each : found == sizes.end() ? std::vector<Sizes>() : found->second) {
    Prediction prediction;
    int64_t flops = made->cost.flops.evaluate(each), read = made->cost.bytesRead.evaluate(each),
            written = made->cost.bytesWritten.evaluate(each);
    if (std::max({flops, read, written}) > mostWork)
      return std::nullopt;
    double bytes = double(read) + double(written);
    prediction.memory = bytes / machine.levelOf(std::max(int64_t(bytes), machine.levels[0].bytes + 1)).read;
    for (const KernelPhase &phase : made->phases) {
      int64_t chunks = phase.chunks.evaluate(each);
      prediction.launch += machine.launch + machine.chunk * double(std::max<int64_t>(0, chunks - 1));
      std::optional<PhaseCost> cost = chunks ? time.costOf(phase.symbol, each, chunks) : PhaseCost();
      if (!cost)
        return std::nullopt;
      prediction.compute += cost->seconds;
    }
    forecast.seconds += prediction.seconds();
    prediction.compute = double(flops) / machine.flops();
    forecast.least += prediction.seconds();
  }
  return forecast;
}

} // namespace attnc
