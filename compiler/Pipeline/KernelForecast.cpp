#include "compiler/Pipeline/KernelForecast.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "compiler/Predict/Predict.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// The number of times that one call of the entry point executes `op`. Loops whose number of iterations depends on data
/// are assumed to have `typicalSize` iterations.
static double executions(Operation *op, SizeAnalysis &analysis, ArrayRef<int64_t> dimensions) {
  double product = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto counted = dyn_cast<scf::ForOp>(*loop);
    std::optional<SizeExpr> end = counted ? analysis.index(counted.getUpperBound()) : std::nullopt;
    bool isKnown = end && hasCanonicalInductionVariable(counted);
    product *= isKnown ? std::max<int64_t>(0, end->evaluate(dimensions)) : typicalSize;
  }
  return product;
}

/// Instructions of the functions and random draws of a formula. Code may hoist or combine its other operations.
static int64_t functionInstructions(Region &formula) {
  constexpr int64_t leastOfFunctions = 20;
  int64_t sum = 0;
  formula.walk([&](Operation *op) {
    if (int64_t own = costOf(op).instructions; own >= leastOfFunctions)
      sum += own;
  });
  return sum;
}

/// Seconds of the arithmetic of a kernel's formulas on full vectors.
static double arithmeticSeconds(func::FuncOp kernel, const KernelSizes &symbols, ArrayRef<int64_t> sizes,
                                const Machine &machine) {
  double flops = 0, instructions = 0;
  for (auto loops : kernel.getOps<linalg::GenericOp>())
    if (std::optional<SizeExpr> points = symbols.points(loops)) {
      double number = double(points->evaluate(sizes));
      flops += number * double(costOf(loops.getRegion()).flops);
      instructions += number * double(functionInstructions(loops.getRegion()));
    }
  return std::max(flops / machine.flops(), instructions / double(machine.lanes) / machine.arithmetic);
}

double KernelForecast::leastOf(func::FuncOp kernel, const Sizes &sizes) const {
  KernelSizes symbols(kernel);
  double bytes = double(symbols.bytesRead().evaluate(sizes)) + double(symbols.bytesWritten().evaluate(sizes));
  Prediction prediction;
  prediction.launch = machine.launch;
  prediction.compute = arithmeticSeconds(kernel, symbols, sizes, machine);
  prediction.memory = bytes / machine.levelOf(std::min(bytes, double(mostWork))).read;
  return prediction.seconds();
}

double KernelForecast::leastOf(func::FuncOp kernel) const {
  double sum = 0;
  for (const Sizes &each : sizes.at(kernel))
    sum += leastOf(kernel, each);
  return sum;
}

double KernelForecast::shareOf(func::FuncOp kernel, double seconds) const {
  double largest = 0;
  for (const Launches &entry : entries)
    if (auto number = entry.numbers.find(kernel); number != entry.numbers.end() && entry.seconds > 0)
      largest = std::max(largest, number->second * seconds / entry.seconds);
  return largest;
}

void KernelForecast::gatherSizes(func::FuncOp entry, const NamedSizes &at) {
  FailureOr<SizeAnalysis> analysis = SizeAnalysis::ofEntry(entry);
  if (failed(analysis))
    return;
  Sizes dimensions = dimensionsOf(entry, *analysis, at);
  Launches &launches = entries.emplace_back();
  entry.walk([&](func::CallOp call) {
    auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!kernel || !isKernel(kernel))
      return;
    Sizes own;
    for (const std::optional<SizeExpr> &size : analysis->kernelSymbols(call))
      own.push_back(size ? size->evaluate(dimensions) : 1);
    double number = executions(call, *analysis, dimensions);
    launches.numbers[kernel] += number;
    launches.seconds += number * leastOf(kernel, own);
    std::vector<Sizes> &all = sizes[kernel];
    if (!llvm::is_contained(all, own) && all.size() < mostSizes)
      all.push_back(std::move(own));
  });
}

std::optional<double> KernelForecast::secondsOf(func::FuncOp kernel, func::FuncOp changed,
                                                const Emitter &emitter) const {
  // Emitters modify the kernel, so they get a copy.
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc()), code = ModuleOp::create(kernel.getLoc());
  auto copy = cast<func::FuncOp>(changed->clone());
  scratch->push_back(copy);
  // Drops errors and warnings, because the caller reports the failure of an emitter; remarks pass.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](mlir::Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Remark);
  });
  if (!emitter.supports(copy, target))
    return std::nullopt;
  FailureOr<KernelCode> made = emitter.emit(copy, target, *code);
  if (failed(made))
    return std::nullopt;
  CodeTime time(*code, target, machine);
  double seconds = 0;
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
    seconds += prediction.seconds();
  }
  return seconds;
}

} // namespace attnc
