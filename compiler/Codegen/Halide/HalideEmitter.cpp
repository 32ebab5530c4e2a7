#include "compiler/Codegen/Halide/HalideEmitter.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Halide/Compile/StageCompiler.h"
#include "compiler/Codegen/Halide/Emit/ImportBitcode.h"
#include "compiler/Codegen/Halide/Emit/StagePhase.h"
#include "compiler/Codegen/Halide/Read/ReadKernel.h"
#include "compiler/Codegen/Halide/Read/WindowSum.h"
#include "compiler/Codegen/Halide/Schedule/ScheduleText.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc {

namespace {

using namespace halide;

Machine machineOf(const Target &target) {
  return {target.f32Lanes, target.vectorRegisters, target.isa->halideTarget.str()};
}

/// Key of a kernel's schedule with a Halide schedule as text.
constexpr llvm::StringLiteral scheduleKey = "halide";

/// A kernel as stages with schedules, before compilation.
struct PlannedKernel {
  KernelPipeline read;
  std::vector<CompiledStage> stages;
  SizeExpr sharedBytes = 0;  ///< of the stages that do not write a result
  std::string scheduleError; ///< error in the schedule that the kernel was given
};

/// Parses the schedules of the stages; null if `text` is invalid, with the reason in `error`.
std::optional<std::vector<Schedule>> parseSchedules(ArrayRef<PlannedStage> stages, StringRef text,
                                                    const Machine &machine, std::string &error) {
  SmallVector<StringRef> parts;
  text.split(parts, ';');
  if (parts.size() != stages.size()) {
    error = llvm::formatv("has {0} schedule{1}, expected {2}, one for each stage, separated by `;`", parts.size(),
                          parts.size() == 1 ? "" : "s", stages.size());
    return std::nullopt;
  }
  std::vector<Schedule> schedules;
  for (auto [stage, part] : llvm::zip(stages, parts)) {
    std::optional<Schedule> schedule = parseSchedule(stage.stage, machine, part.str(), error);
    if (!schedule) {
      if (parts.size() > 1)
        error = llvm::formatv("of stage {0}, {1}", schedules.size() + 1, error);
      return std::nullopt;
    }
    schedules.push_back(std::move(*schedule));
  }
  return schedules;
}

/// All stages, including the stages before them that change the layout of operands.
std::vector<PlannedStage> withLayouts(const std::vector<PlannedStage> &stages, const Machine &machine) {
  std::vector<PlannedStage> all;
  std::vector<unsigned> numbers; // number of each stage in `all`
  for (const PlannedStage &read : stages) {
    unsigned base = all.size();
    for (PlannedStage &stage : planStages(read.stage, machine)) {
      for (PlannedStage::Source &source : stage.sources) {
        if (source.isStage)
          source.number += base;
        else if (source = read.sources[source.number]; source.isStage)
          source.number = numbers[source.number];
      }
      stage.isLayout = true;
      all.push_back(std::move(stage));
    }
    all.back().isLayout = false;
    all.back().result = read.result;
    numbers.push_back(all.size() - 1);
  }
  return all;
}

/// Chooses schedules by the cost model; null if a stage has no schedule, with the reason in `reason`.
std::optional<std::vector<Schedule>> chooseSchedules(ArrayRef<PlannedStage> stages, const Machine &machine,
                                                     std::string &reason) {
  std::vector<Schedule> schedules;
  for (const PlannedStage &planned : stages) {
    std::optional<Schedule> schedule = chooseSchedule(planned.stage, machine, reason);
    if (!schedule)
      return std::nullopt;
    schedules.push_back(std::move(*schedule));
  }
  return schedules;
}

/// Assigns shared memory to the tensors of stages that do not write a result.
void placeStages(std::vector<PlannedStage> stages, std::vector<Schedule> schedules, PlannedKernel &planned) {
  for (auto [stage, schedule] : llvm::zip_equal(stages, schedules)) {
    CompiledStage placed{std::move(stage), std::move(schedule), {}, {}};
    if (!placed.planned.result) {
      placed.offset = planned.sharedBytes;
      planned.sharedBytes += bytesOf(placed, planned.read.arguments);
    }
    planned.stages.push_back(std::move(placed));
  }
}

std::optional<PlannedKernel> planKernel(func::FuncOp kernel, const Target &target, std::string &reason) {
  std::optional<KernelPipeline> read = readKernel(kernel, reason);
  if (!read)
    return std::nullopt;
  PlannedKernel planned{std::move(*read), {}, 0, {}};
  std::vector<PlannedStage> stages = withLayouts(planned.read.stages, machineOf(target));
  std::optional<std::vector<Schedule>> schedules;
  if (auto text = scheduledWord(kernel, scheduleKey)) {
    schedules = parseSchedules(stages, *text, machineOf(target), planned.scheduleError);
    if (!schedules)
      return planned;
  } else {
    schedules = chooseSchedules(stages, machineOf(target), reason);
  }
  if (!schedules)
    return std::nullopt;
  placeStages(std::move(stages), std::move(*schedules), planned);
  for (CompiledStage &compiled : planned.stages) {
    std::optional<int64_t> largest = largestSize(compiled.planned.stage);
    if (!largest) {
      reason = "its subscripts may exceed 32 bits";
      return std::nullopt;
    }
    compiled.largestSize = *largest;
    compiled.planned.stage = keepingNan(std::move(compiled.planned.stage));
  }
  return planned;
}

class HalideEmitter : public Emitter {
public:
  explicit HalideEmitter(HalideScope scope) : scope(scope) {}

  std::string_view name() const override { return "halide"; }

  bool makesCodeFor(const Target &target) const override { return !target.isa->halideTarget.empty(); }

  Verdict supports(func::FuncOp kernel, const Target &target) const override {
    std::string reason;
    std::optional<PlannedKernel> planned = planKernel(kernel, target, reason);
    if (!planned)
      return Verdict::no(reason);
    linalg::GenericOp op = sumOf(kernel);
    bool isAskedFor = requestedEmitter(kernel) == StringRef(name()) || scheduledWord(kernel, scheduleKey);
    return scope == HalideScope::All || isAskedFor || (op && isWanted(op, target))
               ? Verdict::yes()
               : Verdict::no("by default it compiles only sums of products over windows with few weights, and no "
                             "prediction favours it");
  }

  std::string scheduleError(func::FuncOp kernel, const Target &target) const override {
    std::string reason, error;
    if (auto planned = planKernel(kernel, target, reason))
      error = planned->scheduleError;
    return error.empty() ? "" : llvm::formatv("{0}.{1}: {2}", kernel.getName(), scheduleKey, error).str();
  }

  bool sumsWindows(Operation *sum, const Target &target) const override {
    auto op = cast<linalg::GenericOp>(sum);
    return scope == HalideScope::All ? isWindowSum(op) : isWanted(op, target);
  }

  void prepare(func::FuncOp kernel, const Target &target) const override {
    std::string reason;
    if (std::optional<PlannedKernel> planned = planKernel(kernel, target, reason))
      for (const StageFunction &each : functionsOf(kernel, target, *planned))
        stages.request(each.request);
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    std::string error;
    std::optional<PlannedKernel> planned = planKernel(kernel, target, error);
    if (!planned || !compile(kernel, target, code, *planned, error)) {
      kernel.emitRemark() << "the halide emitter can't compile kernel " << kernel.getName() << ": " << error;
      return failure();
    }
    recordSchedules(kernel, *planned);
    return emitPhases(kernel, code, *planned);
  }

private:
  HalideScope scope;
  mutable StageCompiler stages;

  /// The op whose result the kernel returns, or the sum of which that op is the epilogue.
  static linalg::GenericOp sumOf(func::FuncOp kernel) {
    auto op = computedResults(kernel)[0].getDefiningOp<linalg::GenericOp>();
    if (op && op.getNumReductionLoops() == 0)
      for (Value operand : op.getInputs())
        if (auto sum = operand.getDefiningOp<linalg::GenericOp>())
          return sum;
    return op;
  }

  /// True if this emitter is the default emitter of the sum.
  bool isWanted(linalg::GenericOp sum, const Target &target) const {
    return scope == HalideScope::ByRule && isFastWindowSum(sum, target.f32Lanes);
  }

  /// A function that Halide compiles for a stage.
  struct StageFunction {
    StageRequest request;
    LLVM::LLVMFuncOp CompiledStage::*function; ///< `main`, or `rest` for the last chunk of a ragged dimension
    CompiledStage *stage;
  };
  static std::vector<StageFunction> functionsOf(func::FuncOp kernel, const Target &target, PlannedKernel &planned) {
    std::vector<StageFunction> all;
    for (auto [number, stage] : llvm::enumerate(planned.stages)) {
      std::string symbol = symbolOf(kernel, planned, number) + ".halide";
      StageRequest request{stage.planned.stage, stage.schedule, machineOf(target),
                           unsigned(planned.read.arguments.size()), symbol};
      all.push_back({request, &CompiledStage::main, &stage});
      if (auto ragged = stage.schedule.raggedDimension(stage.planned.stage)) {
        request.schedule = stage.schedule.ofRest(*ragged);
        request.symbol = symbol + ".rest";
        all.push_back({request, &CompiledStage::rest, &stage});
      }
    }
    return all;
  }

  /// Compiles all functions. If one fails, erases the others and returns false.
  bool compile(func::FuncOp kernel, const Target &target, ModuleOp code, PlannedKernel &planned,
               std::string &error) const {
    SmallVector<LLVM::LLVMFuncOp> made;
    bool hasExact = kernel
                        .walk([](Operation *op) {
                          return op->hasAttr(exactAttrName) ? WalkResult::interrupt() : WalkResult::advance();
                        })
                        .wasInterrupted();
    for (StageFunction &each : functionsOf(kernel, target, planned)) {
      Bitcode bitcode = stages.codeOf(each.request);
      error = bitcode.error;
      LLVM::LLVMFuncOp function;
      if (error.empty())
        function = importBitcode(bitcode, each.request.symbol, planned.read.operations, !hasExact, kernel.getLoc(),
                                 code, error);
      if (function)
        made.push_back(each.stage->*each.function = function);
      if (error.empty())
        continue;
      for (LLVM::LLVMFuncOp other : made)
        other.erase();
      return false;
    }
    return true;
  }

  static std::string symbolOf(func::FuncOp kernel, const PlannedKernel &planned, unsigned number) {
    std::string name = kernel.getName().str();
    return number + 1 == planned.stages.size() ? name : name + "." + std::to_string(number);
  }

  static void recordSchedules(func::FuncOp kernel, const PlannedKernel &planned) {
    std::string text;
    for (const CompiledStage &stage : planned.stages)
      text += (text.empty() ? "" : "; ") + textOf(stage.planned.stage, stage.schedule);
    recordSchedule(kernel, {{scheduleKey, scheduledWord(kernel, scheduleKey).value_or(text)}});
  }

  /// Emits the phases; the last one has the kernel's name.
  static KernelCode emitPhases(func::FuncOp kernel, ModuleOp code, const PlannedKernel &planned) {
    KernelCode made;
    KernelSizes sizes(kernel);
    // If no result has elements, no operand is copied to a new layout.
    SizeExpr any(0);
    for (unsigned number = 0; number < kernel.getNumResults(); ++number)
      any = SizeExpr::max(any, SizeExpr::min(1, sizes.resultElements(number)));
    for (auto [number, stage] : llvm::enumerate(planned.stages)) {
      made.phases.push_back(emitStagePhase(number, symbolOf(kernel, planned, number),
                                           {kernel, code, planned.read.arguments, planned.stages}));
      // Halide assumes that a scatter writes the first element, even if there are no terms.
      if (stage.planned.isLayout || !stage.planned.stage.places.empty())
        made.phases.back().chunks *= any;
    }
    made.sharedBytes = planned.sharedBytes;
    made.cost = {planned.read.flops, sizes.bytesRead(), sizes.bytesWritten()};
    return made;
  }
};

} // namespace

std::unique_ptr<Emitter> createHalideEmitter(HalideScope scope) { return std::make_unique<HalideEmitter>(scope); }

} // namespace attnc
