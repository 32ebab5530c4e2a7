#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Fuse/LiftFactors.h"
#include "compiler/Memory/Peak.h"
#include "compiler/Pipeline/PredictedEmitters.h"
#include "compiler/Predict/Predict.h"
#include "dialects/Attn/AttentionName.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tools/attnc/ExplainedModel/FusedWork.h"
#include "tools/attnc/ExplainedModel/ModelPaths.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace attnc {

std::string ExplainedKernel::nameInModel() const { return modelPaths.empty() ? name : llvm::join(modelPaths, ", "); }

static ExplainedDecision explainDecision(const Decision &decision) {
  return {decision.isMade,
          reasonId(decision.reason).str(),
          reasonText(decision.reason).str(),
          reasonChange(decision.reason).str(),
          decision.what,
          decision.into,
          decision.entry,
          decision.bytes,
          decision.pairs};
}

/// A sum over windows in the kernel that an emitter supports in this form.
static linalg::GenericOp wantedSum(func::FuncOp kernel, const Emitters &emitters, const Target &target) {
  for (linalg::GenericOp op : kernel.getOps<linalg::GenericOp>())
    for (const std::unique_ptr<Emitter> &each : emitters)
      if (each->makesCodeFor(target) && each->sumsWindows(op, target))
        return op;
  return {};
}

static ExplainedKernel explainKernel(const CompiledKernel &kernel, const Emitters &emitters, const Target &target) {
  func::FuncOp function = kernel.function;
  ExplainedKernel result;
  result.name = function.getName().str();
  result.kind = kernelKindName(*kernelKindOf(function)).str();
  result.emitter = kernel.emitter;
  result.refusals = kernel.refusals;
  if (!kernel.launches.empty())
    result.fused = fusedWork(function, cast<func::CallOp>(kernel.launches.front().call));
  llvm::append_range(result.places, placesOf(function.getLoc()));
  result.predictions = predictionsOf(function);
  linalg::GenericOp sum = wantedSum(function, emitters, target);
  result.isWantedSum = bool(sum);
  result.isKeptSum = sum && isProductOfFactors(sum);
  for (NamedAttribute choice : chosenSchedule(function))
    result.schedule.emplace_back(choice.getName().str(), *choiceText(choice.getValue()));
  return result;
}

namespace {

/// Finds the edges by following tensors from the launches that read them back to their origins.
class EdgeFinder {
public:
  EdgeFinder(const EntryPlan &plan, ArrayRef<int64_t> sizes) : plan(plan), sizes(sizes) {}

  std::vector<ExplainedEdge> find(ArrayRef<Operation *> calls) {
    for (auto [number, call] : llvm::enumerate(calls))
      launches[call] = number;
    for (auto [number, call] : llvm::enumerate(calls))
      for (Value operand : call->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          follow(operand, number, "");
    func::FuncOp entry = plan.entry;
    for (auto [number, result] : llvm::enumerate(entry.front().getTerminator()->getOperands()))
      if (isa<RankedTensorType>(result.getType())) {
        auto name = entry.getResultAttrOfType<StringAttr>(number, model::nameAttrName);
        follow(result, std::nullopt, name ? name.str() : "result");
      }
    return std::move(edges);
  }

  /// The parameters that the results of each launch update. Called after find().
  std::vector<std::set<std::string>> writtenParameters() {
    edges.clear();
    for (model::SetOp set : plan.updates)
      follow(set.getValue(), std::nullopt, set.getParameter());
    std::vector<std::set<std::string>> written(launches.size());
    for (const ExplainedEdge &edge : edges)
      if (edge.from)
        written[*edge.from].insert(edge.name);
    return written;
  }

private:
  const EntryPlan &plan;
  ArrayRef<int64_t> sizes;
  llvm::DenseMap<Operation *, size_t> launches;
  std::vector<ExplainedEdge> edges;

  struct Reader {
    std::optional<size_t> launch;
    StringRef name; ///< name of the entry point's result if no launch reads it
    int64_t bytes;
  };

  void follow(Value tensor, std::optional<size_t> reader, StringRef name) {
    SizeAnalysis analysis = plan.sizes;
    std::optional<SizeExpr> bytes = analysis.bytes(tensor);
    llvm::DenseSet<Value> seen;
    followBack(tensor, {reader, name, bytes ? bytes->evaluate(sizes) : 0}, false, seen);
  }

  void add(std::optional<size_t> from, const Reader &reader, StringRef name, bool isCarried, bool isParameter = false) {
    edges.push_back({from, reader.launch, name.str(), reader.bytes, isCarried, isParameter});
  }

  void followBack(Value tensor, const Reader &reader, bool isCarried, llvm::DenseSet<Value> &seen) {
    tensor = EntryPlan::root(tensor);
    if (!seen.insert(tensor).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return followArgument(argument, reader, isCarried, seen);
    Operation *op = tensor.getDefiningOp();
    if (auto found = launches.find(op); found != launches.end())
      return add(found->second, reader, reader.name, isCarried);
    if (auto get = dyn_cast<model::GetOp>(op))
      return add(std::nullopt, reader, get.getParameter(), isCarried, true);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned number = cast<OpResult>(tensor).getResultNumber();
      return followBack(loop.getYieldedValues()[number], reader, isCarried, seen);
    }
    for (Value operand : op->getOperands()) // ops between kernels: lists, caches
      if (isa<RankedTensorType>(operand.getType()))
        followBack(operand, reader, isCarried, seen);
  }

  void followArgument(BlockArgument argument, const Reader &reader, bool isCarried, llvm::DenseSet<Value> &seen) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      followBack(loop.getInitArgs()[number], reader, isCarried, seen);
      return followBack(loop.getYieldedValues()[number], reader, true, seen);
    }
    auto name = cast<func::FuncOp>(owner).getArgAttrOfType<StringAttr>(argument.getArgNumber(), model::nameAttrName);
    add(std::nullopt, reader, name ? name.getValue() : "input", isCarried);
  }
};

} // namespace

namespace {

/// The loops around launches, each after the loop around it.
class LoopFinder {
public:
  LoopFinder(const EntryPlan &plan, ArrayRef<int64_t> sizes) : analysis(plan.sizes), sizes(sizes) {}

  std::optional<size_t> around(Operation *op) {
    auto loop = op->getParentOfType<scf::ForOp>();
    if (!loop)
      return std::nullopt;
    if (auto found = numbers.find(loop); found != numbers.end())
      return found->second;
    std::optional<size_t> outer = around(loop);
    loops.push_back({turnsOf(loop), outer});
    return numbers[loop] = loops.size() - 1;
  }

  std::vector<ExplainedLoop> loops;

private:
  std::optional<int64_t> turnsOf(scf::ForOp loop) {
    auto valueOf = [&](Value bound) {
      std::optional<SizeExpr> value = analysis.index(bound);
      return value ? std::optional(value->evaluate(sizes)) : std::nullopt;
    };
    std::optional<int64_t> first = valueOf(loop.getLowerBound()), end = valueOf(loop.getUpperBound()),
                           step = valueOf(loop.getStep());
    if (!first || !end || !step || *step <= 0)
      return std::nullopt;
    return std::max<int64_t>(0, (*end - *first + *step - 1) / *step);
  }

  SizeAnalysis analysis;
  ArrayRef<int64_t> sizes;
  llvm::DenseMap<Operation *, size_t> numbers;
};

} // namespace

/// The module of the attention that a launch computes, without indices of lists: "blocks.mix" for "blocks.{0}.mix".
static std::set<std::string> attentionModules(func::CallOp call, func::FuncOp kernel) {
  std::optional<attn::AttentionName> name;
  kernel.walk([&](Operation *op) {
    if (isa<attn::AttendOp, attn::AttendGradientOp>(op) && !name)
      name = attn::attentionNameOf(call) ? attn::attentionNameOf(call) : attn::attentionNameOf(op);
  });
  if (!name || name->module.empty())
    return {};
  std::string path;
  for (StringRef part : llvm::split(name->module, '.'))
    if (!part.starts_with("{"))
      path += (path.empty() ? "" : ".") + part.str();
  return {path};
}

static void explainPaths(ExplainedEntry &entry, ArrayRef<Operation *> calls, ArrayRef<CompiledKernel> kernels,
                         EdgeFinder &edges) {
  LaunchOrigins origins{{}, edges.writtenParameters()};
  for (auto [call, launch] : llvm::zip_equal(calls, entry.launches))
    origins.attentions.push_back(attentionModules(cast<func::CallOp>(call), kernels[launch.kernel].function));
  for (auto [launch, path] : llvm::zip_equal(entry.launches, modelPaths(origins, entry.edges)))
    launch.modelPath = path;
}

/// Adds the flops of unmasked pairs.
static void countKeptPairs(ExplainedLaunch &launch) {
  launch.cost.keptFlops = launch.cost.flops;
  if (launch.mask && !launch.mask->problem.empty())
    launch.cost.keptFlops.reset();
  else if (launch.mask)
    launch.cost.keptFlops = int64_t(double(launch.cost.flops) * keptShare(*launch.mask));
}

/// The unmasked pairs of a launch.
static std::optional<MaskBlocks> explainMask(const EntryPlan &plan, const KernelLaunch &launch,
                                             ArrayRef<int64_t> sizes) {
  SizeAnalysis analysis = plan.sizes;
  SmallVector<std::optional<int64_t>> symbols;
  for (const std::optional<SizeExpr> &symbol : analysis.kernelSymbols(cast<func::CallOp>(launch.call)))
    symbols.push_back(symbol ? std::optional(symbol->evaluate(sizes)) : std::nullopt);
  return maskBlocksOf(launch.kernel, symbols);
}

static std::vector<ExplainedStorage> explainArena(const EntryPlan &plan, ArrayRef<int64_t> sizes) {
  std::vector<ExplainedStorage> arena;
  for (const SlotMember &member : plan.members) {
    ExplainedStorage storage{
        member.storage.name, plan.offset(member.slot).evaluate(sizes), member.storage.bytes.evaluate(sizes), {}};
    std::vector<LiveRange> ranges = member.storage.liveRanges;
    llvm::sort(ranges, [](const LiveRange &a, const LiveRange &b) { return a.first < b.first; });
    for (const LiveRange &range : ranges)
      if (!storage.live.empty() && range.first <= storage.live.back().second)
        storage.live.back().second = std::max(storage.live.back().second, range.last);
      else
        storage.live.emplace_back(range.first, range.last);
    arena.push_back(std::move(storage));
  }
  return arena;
}

static void add(std::optional<ExplainedTime> &sum, const ExplainedTime &time, double times) {
  if (!sum)
    sum.emplace();
  // The bound of the launches that take the longest is that of the kernel.
  if (time.seconds * times > sum->seconds - time.seconds * times)
    sum->bound = time.bound;
  sum->launch += times * time.launch;
  sum->compute += times * time.compute;
  sum->memory += times * time.memory;
  sum->instructions += times * time.instructions;
  sum->seconds += times * time.seconds;
}

/// The reason why the costs of a call cannot be counted, which is that a number exceeds 64 bits; empty if they can.
static std::string whyUncountable(ArrayRef<std::pair<Operation *, ExplainedLaunch>> launches,
                                  ArrayRef<CompiledKernel> kernels) {
  constexpr double most = 0x1p62; // reads and writes are added, so one bit less than 2^63
  std::map<size_t, double> flops, bytes;
  for (const auto &[call, launch] : launches) {
    double times = double(launch.times);
    flops[launch.kernel] += times * double(launch.cost.flops);
    bytes[launch.kernel] += times * (double(launch.cost.bytesRead) + double(launch.cost.bytesWritten));
    StringRef what = flops[launch.kernel] >= most ? "flops" : bytes[launch.kernel] >= most ? "bytes" : "";
    if (!what.empty())
      return llvm::formatv("the sizes are too large: {0} takes more than 4.6e18 {1} a call; give smaller ones (--at)",
                           func::FuncOp(kernels[launch.kernel].function).getName(), what)
          .str();
  }
  return "";
}

/// Adds up the launches of each kernel.
static std::vector<ExplainedTotal> totalsOf(ArrayRef<ExplainedLaunch> launches) {
  std::vector<ExplainedTotal> totals;
  for (const ExplainedLaunch &launch : launches) {
    auto total = llvm::find_if(totals, [&](const ExplainedTotal &each) { return each.kernel == launch.kernel; });
    if (total == totals.end())
      total = totals.insert(total, ExplainedTotal{launch.kernel, 0, {}, {}, {}});
    total->launches += launch.times;
    total->cost.flops += launch.times * launch.cost.flops;
    if (launch.cost.keptFlops && total->cost.keptFlops)
      *total->cost.keptFlops += launch.times * *launch.cost.keptFlops;
    else
      total->cost.keptFlops.reset();
    total->cost.bytesRead += launch.times * launch.cost.bytesRead;
    total->cost.bytesWritten += launch.times * launch.cost.bytesWritten;
    if (launch.predicted)
      add(total->predicted, *launch.predicted, double(launch.times));
  }
  return totals;
}

static ExplainedEntry explainEntry(const EntryPlan &plan, ArrayRef<CompiledKernel> kernels, const NamedSizes &at,
                                   Predictor *predictor) {
  ExplainedEntry entry;
  func::FuncOp function = plan.entry;
  entry.name = function.getName().str();
  llvm::Expected<std::vector<int64_t>> sizes = sizesAt(plan, at);
  if (!sizes) {
    entry.problem = llvm::toString(sizes.takeError());
    return entry;
  }
  for (auto [name, size] : llvm::zip_equal(plan.symbols, *sizes))
    entry.sizes.emplace_back(name, size);
  LoopFinder loops(plan, *sizes);
  std::vector<std::pair<Operation *, ExplainedLaunch>> launches;
  for (auto [number, kernel] : llvm::enumerate(kernels))
    for (const KernelLaunch &launch : kernel.launches)
      if (auto step = llvm::find(plan.steps, launch.call); step != plan.steps.end())
        launches.push_back(
            {launch.call,
             {number,
              unsigned(step - plan.steps.begin()),
              launch.times.evaluate(*sizes),
              {launch.flops.evaluate(*sizes), launch.bytesRead.evaluate(*sizes), launch.bytesWritten.evaluate(*sizes)},
              loops.around(launch.call),
              explainMask(plan, launch, *sizes)}});
  entry.problem = whyUncountable(launches, kernels);
  if (!entry.problem.empty())
    return entry;
  llvm::sort(launches, [](const auto &a, const auto &b) { return a.second.step < b.second.step; });
  std::vector<Operation *> calls;
  llvm::DenseMap<Operation *, Prediction> predictions;
  if (predictor)
    predictions = predictor->predict(plan, *sizes);
  for (auto &[call, launch] : launches) {
    calls.push_back(call);
    if (auto found = predictions.find(call); found != predictions.end()) {
      const Prediction &made = found->second;
      launch.predicted = {made.launch, made.compute, made.memory, made.instructions, made.seconds(), made.bound};
    }
    countKeptPairs(launch);
    entry.launches.push_back(launch);
  }
  entry.loops = std::move(loops.loops);
  EdgeFinder edges(plan, *sizes);
  entry.edges = edges.find(calls);
  explainPaths(entry, calls, kernels, edges);
  entry.totals = totalsOf(entry.launches);
  entry.arenaBytes = plan.arenaBytes.evaluate(*sizes);
  for (Operation *step : plan.steps)
    entry.steps.push_back(stepName(step));
  entry.arena = explainArena(plan, *sizes);
  return entry;
}

/// Sets the paths of kernels to those of their launches, and the path of a launch without one to its kernel's symbol.
static void namePaths(ExplainedModel &model) {
  for (ExplainedEntry &entry : model.entries)
    for (ExplainedLaunch &launch : entry.launches) {
      std::vector<std::string> &paths = model.kernels[launch.kernel].modelPaths;
      if (launch.modelPath.empty())
        launch.modelPath = model.kernels[launch.kernel].name;
      else if (!llvm::is_contained(paths, launch.modelPath))
        paths.push_back(launch.modelPath);
    }
}

ExplainedModel explain(const Compilation &made, const CompileOptions &options, const Target &target,
                       const std::optional<Machine> &machine) {
  ExplainedModel model{llvm::sys::path::filename(options.input).str(), made.program.targetName, machine, {}, {}, {}};
  std::optional<Predictor> predictor;
  if (machine)
    predictor.emplace(made.program, *made.code, target, *machine);
  Emitters emitters = createEmitters();
  for (const CompiledKernel &kernel : made.program.kernels)
    model.kernels.push_back(explainKernel(kernel, emitters, target));
  for (const EntryPlan &plan : made.program.entries)
    model.entries.push_back(explainEntry(plan, made.program.kernels, options.at, predictor ? &*predictor : nullptr));
  namePaths(model);
  for (const Decision &decision : recordedDecisions(*made.module))
    model.decisions.push_back(explainDecision(decision));
  return model;
}

} // namespace attnc
