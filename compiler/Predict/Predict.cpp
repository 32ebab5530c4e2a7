#include "compiler/Predict/Predict.h"
#include "compiler/Predict/Traffic.h"
#include <numeric>

using namespace mlir;

namespace attnc {

double Prediction::seconds() const {
  constexpr double notOverlapped = 0.5; // docs/decisions/0020
  return launch + std::max(compute, memory) + notOverlapped * std::min(compute, memory);
}

Predictor::Predictor(const Program &program, ModuleOp module, const Target &target, const Machine &machine)
    : program(program), machine(machine), code(module, target, this->machine) {}

PhaseCost Predictor::costOf(const CompiledKernel &kernel, const KernelPhase &phase, ArrayRef<int64_t> sizes,
                            int64_t chunks) {
  auto &memory = known[phase.symbol];
  auto found = llvm::find_if(memory, [&](const auto &each) { return ArrayRef(each.first) == sizes; });
  if (found != memory.end())
    return found->second;
  std::optional<PhaseCost> cost = code.costOf(phase.symbol, sizes, chunks);
  if (!cost) {
    // The iterations of a loop are not a function of sizes: assume that all work is multiply-adds, at 80 % of the peak.
    constexpr double reached = 0.8;
    const KernelCost &known = kernel.code.cost;
    double flops = double(known.flops.evaluate(sizes));
    CodeCost all{flops / (reached * machine.flops()), double(known.bytesRead.evaluate(sizes)),
                 double(known.bytesWritten.evaluate(sizes)), flops / (2 * double(machine.lanes))};
    cost = PhaseCost{all * (1 / double(kernel.code.phases.size())), {}};
  }
  memory.emplace_back(sizes.vec(), *cost);
  return *cost;
}

const CompiledKernel *Predictor::compiledOf(func::CallOp call) const {
  auto found = llvm::find_if(program.kernels, [&](const CompiledKernel &each) {
    return func::FuncOp(each.function).getName() == call.getCallee();
  });
  return found == program.kernels.end() ? nullptr : &*found;
}

std::vector<int64_t> Predictor::sizesOf(func::CallOp call, SizeAnalysis &analysis, ArrayRef<int64_t> sizes) const {
  std::vector<int64_t> kernelSizes;
  for (const std::optional<SizeExpr> &size : analysis.kernelSymbols(call))
    kernelSizes.push_back(size ? size->evaluate(sizes) : 1);
  return kernelSizes;
}

LaunchedCode Predictor::codeOf(const CompiledKernel &kernel, ArrayRef<int64_t> kernelSizes) {
  LaunchedCode launched;
  launched.sharedBytes = kernel.code.sharedBytes.evaluate(kernelSizes);
  launched.workerBytes = kernel.code.workerBytes.evaluate(kernelSizes);
  for (const KernelPhase &phase : kernel.code.phases)
    if (int64_t chunks = phase.chunks.evaluate(kernelSizes)) {
      PhaseCost cost = costOf(kernel, phase, kernelSizes, chunks);
      llvm::append_range(launched.ranges, cost.code);
      launched.isWide |= cost.isWide;
    }
  return launched;
}

/// Seconds to overwrite lines of a memory level. They are read first (write-allocate). Written lines stay in L1, of
/// which half is left by other launches; the excess is written back meanwhile.
static double secondsToWrite(const Machine &machine, size_t number, double bytes) {
  const MemoryLevel &level = machine.levels[number];
  if (number > 1)
    return bytes / level.write;
  double writtenBack = std::max(0.0, bytes - double(machine.levels[0].bytes) / 2);
  return bytes / level.read + writtenBack * std::max(0.0, 1 / level.write - 1 / level.read);
}

Prediction Predictor::predict(func::CallOp call, ArrayRef<int64_t> kernelSizes, int64_t workers,
                              const LaunchTraffic &moved) {
  const CompiledKernel &kernel = *compiledOf(call);
  Prediction result;
  result.launch = moved.latency;
  CodeCost touched;
  for (const KernelPhase &phase : kernel.code.phases) {
    int64_t chunks = phase.chunks.evaluate(kernelSizes);
    result.launch += machine.launch + machine.chunk * double(std::max<int64_t>(0, chunks - 1));
    if (chunks == 0)
      continue;
    CodeCost cost = costOf(kernel, phase, kernelSizes, chunks);
    double rounds = double(llvm::divideCeil(chunks, std::min(workers, chunks)));
    result.compute += cost.seconds * rounds / double(chunks);
    touched += cost;
  }
  result.instructions = touched.instructions;
  result.compute += std::min(moved.warmUp, (machine.drowsy - 1) * result.compute);
  // A kernel may read only a part of a large operand: the traffic is limited to the bytes that it loads.
  auto loadedShare = [](double bytes, ArrayRef<double> moved) {
    double all = std::accumulate(moved.begin(), moved.end(), 0.0);
    return all > bytes ? bytes / all : 1.0;
  };
  double read = loadedShare(touched.loaded, moved.read), written = loadedShare(touched.stored, moved.written);
  double slowest = 0;
  std::string level;
  for (auto [number, each] : llvm::enumerate(machine.levels)) {
    if (number == 0)
      continue; // part of the throughput of loads and stores
    double share = workers > 1 ? std::min(double(workers), each.readByAll / each.read) : 1;
    double stores = secondsToWrite(machine, number, written * moved.written[number]);
    double seconds = (read * moved.read[number] / each.read + stores) / share;
    result.memory += seconds;
    if (seconds > slowest)
      level = each.name;
    slowest = std::max(slowest, seconds);
  }
  double longest = std::max({result.launch, result.compute, result.memory});
  result.bound = longest == result.launch ? "launch" : longest == result.compute ? "compute" : level;
  return result;
}

DenseMap<Operation *, Prediction> Predictor::predict(const EntryPlan &plan, ArrayRef<int64_t> sizes) {
  SizeAnalysis analysis = plan.sizes;
  int64_t workers = std::max<int64_t>(1, sizes.back());
  DenseMap<Operation *, std::vector<int64_t>> sizesOfCalls;
  auto sizesAt = [&](func::CallOp call) -> ArrayRef<int64_t> {
    auto [found, isNew] = sizesOfCalls.try_emplace(call);
    if (isNew)
      found->second = sizesOf(call, analysis, sizes);
    return found->second;
  };
  DenseMap<Operation *, LaunchTraffic> traffic = trafficOf(
      plan, sizes, machine,
      [&](func::CallOp call) {
        const CompiledKernel *kernel = compiledOf(call);
        return kernel ? kernel->function : func::FuncOp();
      },
      [&](func::CallOp call) { return codeOf(*compiledOf(call), sizesAt(call)); },
      [&](func::CallOp call, const LaunchTraffic &moved) {
        return predict(call, sizesAt(call), workers, moved).seconds();
      });
  DenseMap<Operation *, Prediction> predictions;
  for (auto &[op, moved] : traffic) {
    auto call = cast<func::CallOp>(op);
    predictions[op] = predict(call, sizesAt(call), workers, moved);
  }
  return predictions;
}

} // namespace attnc
