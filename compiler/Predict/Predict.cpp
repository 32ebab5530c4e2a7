#include "compiler/Predict/Predict.h"
#include "compiler/Predict/Traffic.h"
#include <numeric>

using namespace mlir;

namespace attnc {

double Prediction::seconds() const {
  constexpr double notHidden = 0.5; // docs/decisions/0020
  return launch + std::max(compute, memory) + notHidden * std::min(compute, memory);
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
    // How often a loop turns can't be told from sizes: as if all of it were multiply-adds, near what those reach.
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
      llvm::append_range(launched.pieces, cost.code);
      launched.isWide |= cost.isWide;
    }
  return launched;
}

/// Of lines that lie in a level. Those from behind the nearest cache are read first; as many as half of that holds, for
/// other launches have written to it too, stay there for now, and others go back meanwhile.
static double secondsToWrite(const Machine &machine, size_t number, double bytes) {
  const MemoryLevel &level = machine.levels[number];
  if (number > 1)
    return bytes / level.write;
  double goesBack = std::max(0.0, bytes - double(machine.levels[0].bytes) / 2);
  return bytes / level.read + goesBack * std::max(0.0, 1 / level.write - 1 / level.read);
}

Prediction Predictor::predict(func::CallOp call, ArrayRef<int64_t> kernelSizes, int64_t workers,
                              const LaunchTraffic &moved) {
  const CompiledKernel &kernel = *compiledOf(call);
  Prediction made;
  made.launch = moved.waits;
  CodeCost touched;
  for (const KernelPhase &phase : kernel.code.phases) {
    int64_t chunks = phase.chunks.evaluate(kernelSizes);
    made.launch += machine.launch + machine.chunk * double(std::max<int64_t>(0, chunks - 1));
    if (chunks == 0)
      continue;
    CodeCost cost = costOf(kernel, phase, kernelSizes, chunks);
    double turns = double(llvm::divideCeil(chunks, std::min(workers, chunks)));
    made.compute += cost.seconds * turns / double(chunks);
    touched += cost;
  }
  made.instructions = touched.instructions;
  made.compute += std::min(moved.wakes, (machine.drowsy - 1) * made.compute);
  // Of a large operand a kernel may read a part: no more comes than is loaded.
  auto shareOf = [](double bytes, ArrayRef<double> moved) {
    double all = std::accumulate(moved.begin(), moved.end(), 0.0);
    return all > bytes ? bytes / all : 1.0;
  };
  double read = shareOf(touched.loaded, moved.read), written = shareOf(touched.stored, moved.written);
  double slowest = 0;
  std::string level;
  for (auto [number, each] : llvm::enumerate(machine.levels)) {
    if (number == 0)
      continue; // as fast as loads and stores
    double share = workers > 1 ? std::min(double(workers), each.readByAll / each.read) : 1;
    double stores = secondsToWrite(machine, number, written * moved.written[number]);
    double seconds = (read * moved.read[number] / each.read + stores) / share;
    made.memory += seconds;
    if (seconds > slowest)
      level = each.name;
    slowest = std::max(slowest, seconds);
  }
  double longest = std::max({made.launch, made.compute, made.memory});
  made.bound = longest == made.launch ? "launch" : longest == made.compute ? "compute" : level;
  return made;
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
